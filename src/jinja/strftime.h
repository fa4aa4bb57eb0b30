// Python's datetime.strftime in the C locale, whatever the process's locale is.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace kelda::jinja {

// %a %A %b %B %c %C %d %D %e %f %F %g %G %h %H %I %j %k %l %m %M %n %p %P %r %R %S %t %T %u %U %V %w %W %x %X
// %y %Y %%, with glibc's flags "-" (no padding), "_", "0" and "^" after the percent sign; %z and %Z are
// empty, since the time has no zone. An unknown directive stays as it is.
std::string strftime(std::string_view format, std::chrono::sys_time<std::chrono::microseconds> time);

}  // namespace kelda::jinja
