"""The server: requests are checked here, and answered by the workbench."""

from __future__ import annotations

import re
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast
from urllib.parse import parse_qs, urlsplit

from rulewright.errors import RulewrightError
from rulewright.workbench.access import Access
from rulewright.workbench.responses import (
    RequestError,
    Response,
    json_response,
    page_response,
    redirect_response,
)
from rulewright.workbench.workbench import Body, Workbench

ADDRESS = "127.0.0.1"
"""Only this machine reaches the server."""
DRAINED = 1 << 20
"""Number of bytes of a refused request that are read, so that the client sees the answer."""
PATIENCE = 5.0
"""Number of seconds for which the rest of a refused request is waited for."""
NO_TOKEN = (
    "This address needs its token. Open the address that rulewright serve printed when it started; "
    "each start has a new one."
)
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of all answers."""


class WorkbenchServer(ThreadingHTTPServer):
    """A server on the loopback address.

    Parameters
    ----------
    workbench : Workbench
    port : int
        0 takes a free one.
    """

    daemon_threads = True

    def __init__(self, workbench: Workbench, port: int = 0) -> None:
        self.workbench = workbench
        super().__init__((ADDRESS, port), WorkbenchRequest)
        self.access = Access(self.server_port)


class WorkbenchRequest(BaseHTTPRequestHandler):
    """One request: its host, origin and token are checked before anything else is read."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "Rulewright", ""
    timeout = 120
    """Seconds after which a connection without a sign is closed."""

    def do_GET(self) -> None:
        """Answer a request for a page or file."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """Answer a request that changes something."""
        self._answer(self._post)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: the address of a request may hold the token."""

    @property
    def _workbench(self) -> Workbench:
        return cast(WorkbenchServer, self.server).workbench

    def _answer(self, method: Callable[[], Response]) -> None:
        length = self._length()
        self._body = Body(self.rfile, length or 0, self.headers.get_content_type())
        self.close_connection |= length is None  # where the next request begins is not known
        try:
            response = self._allowed() or method()
        except RequestError as error:
            response = self._failure(error.status, str(error))
        except RulewrightError as error:
            response = self._failure(HTTPStatus.BAD_REQUEST, str(error))
        except ConnectionError:
            self.close_connection = True
            return
        except Exception:
            traceback.print_exc(file=sys.stderr)
            response = self._failure(
                HTTPStatus.INTERNAL_SERVER_ERROR,
                "The server failed. The terminal in which it runs shows the reason.",
            )
        try:
            self._send(response)
        except ConnectionError:  # the browser no longer waits for the answer
            self.close_connection = True

    def _allowed(self) -> Response | None:
        """Refuse a request that may not come in; return an answer where it is settled here."""
        access = cast(WorkbenchServer, self.server).access
        refused = access.refusal(self.headers, changes=self.command != "GET")
        if refused is not None:
            raise RequestError(HTTPStatus.FORBIDDEN, refused)
        given = self._query.get("token") if self._path == "/" else None
        if not access.knows(self.headers, given):
            raise RequestError(HTTPStatus.FORBIDDEN, NO_TOKEN)
        if given is not None:  # so that the token does not stay in the address
            return redirect_response("/", Set_Cookie=access.cookie)
        return None

    def _get(self) -> Response:
        return self._workbench.get(self._path, self._query)

    def _post(self) -> Response:
        if self._length() is None:
            raise RequestError(
                HTTPStatus.LENGTH_REQUIRED, "The request must have a Content-Length."
            )
        return self._workbench.post(self._path, self._query, self._body)

    @property
    def _path(self) -> str:
        return urlsplit(self.path).path

    @property
    def _query(self) -> dict[str, str]:
        """Members of the address, the last of each name."""
        found = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
        return {name: values[-1] for name, values in found.items()}

    def _length(self) -> int | None:
        """Return the length of the body; None where it is not known."""
        given = self.headers.get("Content-Length")
        if given is None:
            return None if "Transfer-Encoding" in self.headers or self.command == "POST" else 0
        return int(given) if re.fullmatch("[0-9]{1,18}", given) else None

    def _failure(self, status: HTTPStatus, message: str) -> Response:
        if self.command == "GET":
            return page_response(self._workbench.message_page(status, message), status)
        return json_response({"error": message}, status)

    def _send(self, response: Response) -> None:
        unread = min(self._body.left, DRAINED)
        self.close_connection |= unread > 0
        self.send_response(response.status)
        sent = {
            "Content-Type": response.kind,
            "Content-Length": str(len(response.content)),
            "Content-Security-Policy": response.policy,
            **HEADERS,
            **({"Connection": "close"} if self.close_connection else {}),
            **response.headers,
        }
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(response.content)
        if unread:
            self._drain(unread)

    def _drain(self, size: int) -> None:
        """Read the rest of a request; closing before it is read could take the answer back."""
        self.connection.settimeout(PATIENCE)
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.rfile.read(size)
