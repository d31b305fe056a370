// Every bound of the client, in one place.

/** Sessions that one client watches at once. */
export const MAX_WATCHED = 256;

/** Messages that wait in the outbox; the next is refused. */
export const MAX_OUTBOX = 100;

/** Commands beside the outbox that wait for a connection; the next is refused. */
export const MAX_WAITING_COMMANDS = 100;

/** Messages of one session that are kept; beyond it the oldest are dropped, as from a snapshot. */
export const MAX_MESSAGES = 5000;

/** Cursors behind the present one by which a repeated frame is known. */
export const MAX_PASSED_CURSORS = 64;

/** Characters of one server-sent event. */
export const MAX_SSE_EVENT_CHARS = 64 * 1024 * 1024;

/** How long an answer to a command is waited for. */
export const ANSWER_MILLIS = 15_000;

/** How long a connection may take until its welcome. */
export const WELCOME_MILLIS = 20_000;

/** How long a page that is shown again waits for a sign of life before it opens a new connection. */
export const PROBE_MILLIS = 1000;

/** How long a command beside the outbox waits for a connection, unless its caller says otherwise. */
export const WAITING_MILLIS = 30_000;

/** The pause before a new connection: it doubles from the one to the other. */
export const FIRST_PAUSE_MILLIS = 500;
export const LONGEST_PAUSE_MILLIS = 10_000;

/** The pause before a message is sent again. */
export const FIRST_RESEND_MILLIS = 1000;
export const LONGEST_RESEND_MILLIS = 10_000;

/** A connection that lasted so long lets the pauses begin small again. */
export const STABLE_MILLIS = 10_000;

/** The longest `Retry-After` that is kept to. */
export const MAX_RETRY_AFTER_MILLIS = 300_000;

/** Upgrades in a row that fail before `auto` takes SSE. */
export const MAX_FAILED_UPGRADES = 2;

/** How often a message that was too large for its event is asked for. */
export const MAX_FETCHES = 5;

/** The longest that one request beside the connection may take; an upload is one. */
export const MAX_REQUEST_MILLIS = 300_000;
