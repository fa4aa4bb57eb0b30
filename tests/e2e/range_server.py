"""A web server on 127.0.0.1 that behaves, or misbehaves, as a test asks."""

import http.server
import re
import socket
import ssl
import threading
import time


class RangeServer:
    """Serves `files` (path -> bytes). The switches may be changed while it runs.

    ranges      answer Range requests with 206; otherwise with the whole file
    wrong_range answer 206 with a Content-Range that was not asked for
    etag        sent as ETag, and compared with If-Range
    conditions  False: a part is sent whatever If-Range says
    linked      path -> value of X-Linked-Etag, as a hub sends it
    linked_size path -> value of X-Linked-Size, likewise
    early       path -> headers of a "103 Early Hints" before the reply
    cut_after   close the connection after so many bytes of a body; `cuts` times (None: always)
    statuses    statuses to answer first, one per request, before serving
    redirect    path -> address to redirect to
    delay_s     pause before each piece of a body
    """

    def __init__(self, files):
        self.files = dict(files)
        self.ranges = True
        self.wrong_range = False
        self.etag = '"one"'
        self.conditions = True
        self.linked = {}
        self.linked_size = {}
        self.early = {}
        self.cut_after = None
        self.cuts = None
        self.statuses = []
        self.redirect = {}
        self.delay_s = 0.0
        self.piece = 65536
        self.requests = []  # (path, headers)
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def do_GET(self):
                try:
                    outer.answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, request, client_address):
                pass  # a client that hangs up is what many of the tests are about

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def use_tls(self, certificate):
        """From now on; the file holds key and certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)

    def ranges_asked(self):
        return [headers.get("Range") for _, headers in self.requests]

    def answer(self, handler):
        path = re.sub(r"^http://[^/]+", "", handler.path)  # a proxy is asked with the whole address
        self.requests.append((path, dict(handler.headers.items())))
        if self.statuses:
            return self.head(handler, self.statuses.pop(0), 0)
        if path in self.early:
            lines = "".join(f"{name}: {value}\r\n" for name, value in self.early[path].items())
            handler.wfile.write(f"HTTP/1.1 103 Early Hints\r\n{lines}\r\n".encode())
        if path in self.redirect:
            return self.head(handler, 302, 0, [("Location", self.redirect[path]), *self.linked_headers(path)])
        if path not in self.files:
            return self.head(handler, 404, 0)
        return self.send_file(handler, path, self.files[path])

    def linked_headers(self, path):
        stated = (("X-Linked-Etag", self.linked.get(path)), ("X-Linked-Size", self.linked_size.get(path)))
        return [(name, str(value)) for name, value in stated if value is not None]

    def head(self, handler, status, length, extra=()):
        handler.send_response(status)
        handler.send_header("Content-Length", str(length))
        for name, value in extra:
            handler.send_header(name, value)
        handler.end_headers()

    def send_file(self, handler, path, body):
        extra = [("ETag", self.etag)] if self.etag else []
        extra += self.linked_headers(path)
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", handler.headers.get("Range") or "")
        same = not self.conditions or handler.headers.get("If-Range") in (None, self.etag)
        if not (asked and self.ranges and same):
            self.head(handler, 200, len(body), extra)
            return self.send_body(handler, body)
        first = int(asked[1])
        if first >= len(body):
            return self.head(handler, 416, 0, extra + [("Content-Range", f"bytes */{len(body)}")])
        last = min(int(asked[2]) if asked[2] else len(body) - 1, len(body) - 1)
        told = first + 1 if self.wrong_range else first
        part = body[told : last + 1]
        extra.append(("Content-Range", f"bytes {told}-{last}/{len(body)}"))
        self.head(handler, 206, len(part), extra)
        return self.send_body(handler, part)

    def send_body(self, handler, body):
        limit = len(body)
        if self.cut_after is not None and self.cuts != 0 and limit > self.cut_after:
            limit = self.cut_after
            self.cuts = None if self.cuts is None else self.cuts - 1
        for at in range(0, limit, self.piece):
            if self.delay_s:
                time.sleep(self.delay_s)
            handler.wfile.write(body[at : min(at + self.piece, limit)])
        if limit < len(body):
            handler.close_connection = True
            handler.connection.close()


class TunnelProxy:
    """A proxy on 127.0.0.1 whose every CONNECT leads to one port of this machine; `extra` headers are in its answer."""

    def __init__(self, port, extra):
        self.port, self.extra, self.n_tunnels = port, extra, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def close(self):
        self.listener.close()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self.connect, args=(client,), daemon=True).start()

    def connect(self, client):
        asked = b""
        while not asked.endswith(b"\r\n\r\n"):
            piece = client.recv(1)
            if not piece:
                return
            asked += piece
        self.n_tunnels += 1
        lines = "".join(f"{name}: {value}\r\n" for name, value in self.extra.items())
        client.sendall(f"HTTP/1.1 200 Connection established\r\n{lines}\r\n".encode())
        with client, socket.create_connection(("127.0.0.1", self.port)) as server:
            back = threading.Thread(target=self.carry, args=(server, client), daemon=True)
            back.start()
            self.carry(client, server)
            back.join()

    def carry(self, source, target):
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # one end hung up
