"""Who may ask the server: the token, the names of this machine, and pages of the same origin."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from email.message import Message

HOSTS = ("127.0.0.1", "localhost", "[::1]")
"""Names of this machine. Any other name in a request may be that of a foreign page."""
HEADER = "X-Rulewright-Token"

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What a page of the workbench may load."""
REPORT_POLICY = "frame-ancestors 'self'"
"""A report has a stricter policy in itself, with the hash of its script."""


@dataclass(frozen=True)
class Access:
    """The token of a server, and the checks of its requests."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def address(self) -> str:
        """Address of the first page, with the token."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """The cookie that keeps the token; a browser sends it only from the server's own pages."""
        return f"{self._name}={self.token}; Path=/; HttpOnly; SameSite=Strict"

    @property
    def _name(self) -> str:
        return f"rulewright-{self.port}"  # browsers share cookies among the ports of a machine

    def refusal(self, headers: Message, *, changes: bool) -> str | None:
        """Return why a request is refused; None where its host and origin are good.

        Parameters
        ----------
        headers : Message
        changes : bool
            Whether the request changes something; it must then come from a page of the server, or
            from a program.
        """
        host = headers.get_all("Host") or []
        if len(host) != 1 or _name_of(host[0]) not in HOSTS:
            return "The request names another host than this machine."
        origin = headers.get("Origin")
        if origin is not None and origin != f"http://{host[0]}":
            return "The request comes from a page of another origin."
        if headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin") and changes:
            return "The request comes from a page of another site."
        return None

    def knows(self, headers: Message, given: str | None) -> bool:
        """Whether a request has the token: in its address, in a header or in the cookie."""
        candidates = [given, headers.get(HEADER), self._from_cookie(headers)]
        return any(_equal(candidate, self.token) for candidate in candidates if candidate)

    def _from_cookie(self, headers: Message) -> str | None:
        pairs = (part.strip().partition("=") for part in headers.get("Cookie", "").split(";"))
        return next((value for name, _, value in pairs if name == self._name), None)


def _equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "surrogateescape"), other.encode())


def _name_of(host: str) -> str:
    """Return a host without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host
