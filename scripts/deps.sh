#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that are missing, after asking once.
#   scripts/deps.sh [GROUP...]         GROUP: build (default), check, tidy, bench, fuzz, all
#   scripts/deps.sh --list [GROUP...]  only prints the packages, one per line
# No question with CI=true or without a terminal. Elsewhere than on Debian or Ubuntu it says what is needed and goes on.
# "a|b" is satisfied by either; the first is installed. A package with a "?" is left out where the system has none.
set -euo pipefail

packages() {
  case $1 in
    build) echo g++ cmake ninja-build pkg-config git ca-certificates python3 python3-pip python3-venv \
      libcli11-dev libfmt-dev nlohmann-json3-dev libsimdjson-dev libpcre2-dev libutf8proc-dev libedit-dev \
      "libcurl4-openssl-dev|libcurl4-gnutls-dev" libssl-dev \
      libgtest-dev binutils ;;
    check) echo "clang-format-14?" ;;
    tidy) echo "clang-tidy-14?" ;;
    bench) echo libbenchmark-dev ;;
    fuzz) echo clang-14 libclang-rt-14-dev ;;
    all) packages build; packages check; packages tidy; packages bench; packages fuzz ;;
    *) echo "deps.sh: unknown group '$1' (allowed: build, check, tidy, bench, fuzz, all)" >&2; return 2 ;;
  esac
}

say() { printf '%s\n' "$*" >&2; }
first_name() { local p=${1%\?}; printf '%s' "${p%%|*}"; }

is_installed() {
  local name
  for name in ${1//|/ }; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "${name%\?}" 2>/dev/null)" = installed ] && return 0
  done
  return 1
}

is_available() {
  local candidate
  candidate=$(LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p')
  [ -n "$candidate" ] && [ "$candidate" != "(none)" ]
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    say "deps.sh: neither root nor sudo here; as root, run:  $*"
    return 1
  fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "$@" >&2; }

# --no-remove: apt stops rather than take away something that is in use.
apt_install() { apt install -y --no-install-recommends --no-remove "$@"; }

confirm() {
  local answer
  if [ "${CI:-}" = true ] || [ ! -t 0 ] || [ ! -t 2 ]; then return 0; fi
  printf 'Install these packages? [Y/n] ' >&2
  read -r answer || answer=n
  case $answer in "" | y | Y | yes) return 0 ;; *) return 1 ;; esac
}

main() {
  local list=false group package name wanted="" missing=() required=()
  if [ "${1:-}" = --list ]; then list=true; shift; fi
  [ $# -gt 0 ] || set -- build
  for group in "$@"; do wanted+=" $(packages "$group")"; done
  if $list; then
    for package in $wanted; do first_name "$package"; echo; done
    return 0
  fi

  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "This is neither Debian nor Ubuntu. Kelda needs what these Debian packages hold:"
    for package in $wanted; do say "  $(first_name "$package")"; done
    return 0
  fi

  for package in $wanted; do is_installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -gt 0 ] || return 0

  local unknown=false
  for package in "${missing[@]}"; do is_available "$(first_name "$package")" || unknown=true; done
  for package in "${missing[@]}"; do
    name=$(first_name "$package")
    if [[ $package != *\? ]] || is_available "$name" || $unknown; then required+=("$name"); fi
  done
  say "Packages that are missing:" "${required[@]}"
  confirm || { say "deps.sh: nothing installed."; return 1; }

  if $unknown; then apt update; fi
  local names=()
  for package in "${missing[@]}"; do
    name=$(first_name "$package")
    if [[ $package == *\? ]] && ! is_available "$name"; then
      say "deps.sh: this system has no $name; what needs it says so when it is left out."
    else
      names+=("$name")
    fi
  done
  [ ${#names[@]} -gt 0 ] || return 0
  # Package lists that are old name files that are gone: one update, one more try.
  apt_install "${names[@]}" || { apt update && apt_install "${names[@]}"; }
}

main "$@"
