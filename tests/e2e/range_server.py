"""A web server on 127.0.0.1 that behaves, or misbehaves, as a test asks."""

import http.server
import re
import threading
import time


class RangeServer:
    """Serves `files` (path -> bytes). The switches may be changed while it runs.

    ranges      answer Range requests with 206; otherwise with the whole file
    wrong_range answer 206 with a Content-Range that was not asked for
    etag        sent as ETag, and compared with If-Range
    linked      path -> value of X-Linked-Etag, as a hub sends it
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
        self.linked = {}
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

    def ranges_asked(self):
        return [headers.get("Range") for _, headers in self.requests]

    def answer(self, handler):
        path = re.sub(r"^http://[^/]+", "", handler.path)  # a proxy is asked with the whole address
        self.requests.append((path, dict(handler.headers.items())))
        if self.statuses:
            return self.head(handler, self.statuses.pop(0), 0)
        if path in self.redirect:
            handler.send_response(302)
            handler.send_header("Location", self.redirect[path])
            if path in self.linked:
                handler.send_header("X-Linked-Etag", self.linked[path])
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return None
        if path not in self.files:
            return self.head(handler, 404, 0)
        return self.send_file(handler, path, self.files[path])

    def head(self, handler, status, length, extra=()):
        handler.send_response(status)
        handler.send_header("Content-Length", str(length))
        for name, value in extra:
            handler.send_header(name, value)
        handler.end_headers()

    def send_file(self, handler, path, body):
        extra = [("ETag", self.etag)] if self.etag else []
        if path in self.linked:
            extra.append(("X-Linked-Etag", self.linked[path]))
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", handler.headers.get("Range") or "")
        same = handler.headers.get("If-Range") in (None, self.etag)
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
