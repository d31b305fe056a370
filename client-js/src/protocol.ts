// Made from docs/wires/session.schema.json by "npm run generate". Do not edit.

/**
 * The messages of docs/wires/session.md. A client ignores messages, event kinds and fields that it does not know; a server refuses commands and fields of commands that it does not know.
 */
export type AnyMessage =
  | ClientMessage
  | ServerMessage
  | ReconnectResult
  | WatchResult
  | UnwatchResult
  | SwitchResult
  | Receipt
  | StopResult
  | AnswerResult
  | ModeResult
  | CloseResult;
export type ClientMessage =
  | ReconnectCommand
  | WatchCommand
  | UnwatchCommand
  | SwitchCommand
  | SendCommand
  | InterruptCommand
  | StopCommand
  | AnswerCommand
  | ModeCommand
  | SuspendCommand
  | ResumeCommand
  | CloseCommand
  | ProbeCommand
  | ByeCommand;
/**
 * Chosen by the client; the reply repeats it.
 */
export type CommandId = string;
/**
 * Names a session; 1 to 256 bytes.
 */
export type SessionId = string;
/**
 * An opaque position in a session, as the server gave it.
 */
export type Cursor = string;
export type ServerMessage =
  Welcome | Attached | Detached | Events | Driver | Reply | Probe | Heartbeat | Rotate | Goodbye;
export type SessionEvent =
  | MessageEvent
  | MessageDeletedEvent
  | MessagesClearedEvent
  | TurnStartedEvent
  | StreamOpenedEvent
  | ChunkEvent
  | TurnAwaitingEvent
  | TurnStoppingEvent
  | TurnRecoveringEvent
  | TurnEndedEvent
  | PropertyChangedEvent
  | ModeChangedEvent
  | SessionClosedEvent
  | SessionReopenedEvent;
export type TurnState = 'accepted' | 'streaming' | 'awaiting' | 'completed' | 'stopped' | 'failed' | 'interrupted';

/**
 * Watches each session from its cursor.
 */
export interface ReconnectCommand {
  type: 'reconnect';
  id: CommandId;
  /**
   * @maxItems 256
   */
  sessions: {
    session: SessionId;
    cursor?: Cursor | null;
  }[];
}
/**
 * Watches one session.
 */
export interface WatchCommand {
  type: 'watch';
  id: CommandId;
  session: SessionId;
  cursor?: Cursor | null;
}
/**
 * Stops watching one session.
 */
export interface UnwatchCommand {
  type: 'unwatch';
  id: CommandId;
  session: SessionId;
}
/**
 * Watches this session in the foreground instead of the one before.
 */
export interface SwitchCommand {
  type: 'switch';
  id: CommandId;
  session: SessionId | null;
  cursor?: Cursor | null;
}
/**
 * Starts a turn, once.
 */
export interface SendCommand {
  type: 'send';
  id: CommandId;
  session?: SessionId | null;
  create?: boolean;
  turn: Turn;
}
/**
 * The turn to start, as in the JSON API; id is the idempotency key, the message's id unless given.
 */
export interface Turn {
  id?: string;
  agent?: string;
  message?: {
    id?: string;
    role?: string;
    content?: UIMessage;
    text?: string;
    parentId?: string;
    besideId?: string;
  };
  regenerate?: string;
  input?: unknown;
  messageId?: string;
  policy?: 'queue' | 'latest' | 'merge' | 'drop' | 'debounce';
  debounceMillis?: number;
}
/**
 * A message as the AI SDK has it.
 */
export interface UIMessage {
  id: string;
  role: string;
  parts: unknown[];
}
/**
 * Starts a turn and stops the one that ran before it.
 */
export interface InterruptCommand {
  type: 'interrupt';
  id: CommandId;
  session?: SessionId | null;
  create?: boolean;
  turn: Turn;
}
/**
 * Stops a turn, or the one that runs.
 */
export interface StopCommand {
  type: 'stop';
  id: CommandId;
  session: SessionId;
  turn?: string | null;
  reason?: string | null;
}
/**
 * Answers a tool call or a question whether a tool may run.
 */
export interface AnswerCommand {
  type: 'answer';
  id: CommandId;
  session: SessionId;
  turn: string;
  answer: ToolAnswer;
}
/**
 * Exactly one of output, error and approved.
 */
export interface ToolAnswer {
  toolCallId: string;
  output?: unknown;
  error?: string;
  approved?: boolean;
  reason?: string;
}
/**
 * Sets the session's mode.
 */
export interface ModeCommand {
  type: 'mode';
  id: CommandId;
  session: SessionId;
  mode: string;
}
/**
 * The page is hidden.
 */
export interface SuspendCommand {
  type: 'suspend';
  id: CommandId;
}
/**
 * The page is shown again.
 */
export interface ResumeCommand {
  type: 'resume';
  id: CommandId;
}
/**
 * Ends a session; for its driver.
 */
export interface CloseCommand {
  type: 'close';
  id: CommandId;
  session: SessionId;
  reason?: string | null;
}
/**
 * Asks for a sign of life on the way down.
 */
export interface ProbeCommand {
  type: 'probe';
  id: CommandId;
  nonce: string;
}
/**
 * Leaves for good.
 */
export interface ByeCommand {
  type: 'bye';
  id: CommandId;
}
/**
 * The first message of a connection.
 */
export interface Welcome {
  type: 'welcome';
  protocol: 1;
  connection: string;
  heartbeatMillis: number;
  retryMillis: number;
  rotateAfterMillis: number;
}
/**
 * The answer to a session's cursor; its events follow.
 */
export interface Attached {
  type: 'attached';
  session: SessionId;
  answer: 'ok' | 'snapshot';
  why?: 'new' | 'too-old' | 'ahead' | 'other-session';
  cursor: Cursor;
  snapshot?: {
    messages: StoredMessage[];
    truncated: boolean;
  };
  turns: LiveTurn[];
  driver: 'you' | 'other' | 'none';
  mode: string | null;
  closed: boolean;
  /**
   * Absent if the host supplies none.
   */
  boot?: unknown;
}
/**
 * A message of a session's tree.
 */
export interface StoredMessage {
  id: string;
  parentId: string | null;
  role: string;
  /**
   * A UIMessage, or text where another application wrote something else.
   */
  content: UIMessage | unknown;
  createdAt: string;
  updatedAt: string;
}
/**
 * A turn without an outcome.
 */
export interface LiveTurn {
  id: string;
  state: 'accepted' | 'streaming' | 'awaiting';
  messageId: string;
  pending: PendingCall[];
}
/**
 * A tool call that waits for an answer.
 */
export interface PendingCall {
  toolCallId: string;
  toolName: string;
  /**
   * Whether it asks if the tool may run; otherwise it wants the tool's output.
   */
  approval: boolean;
  input?: unknown;
}
/**
 * No more of this session comes.
 */
export interface Detached {
  type: 'detached';
  session: SessionId;
  reason: 'unwatched' | 'deleted' | 'not-found' | 'not-authorized' | 'failed';
  problem?: Problem;
}
/**
 * An RFC 9457 problem.
 */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  retryAfterSeconds?: number;
}
/**
 * What happened in a session, applied as a whole.
 */
export interface Events {
  type: 'events';
  session: SessionId;
  from: Cursor;
  cursor: Cursor;
  events: SessionEvent[];
}
export interface MessageEvent {
  kind: 'message-added' | 'message-updated';
  seq: number;
  at: string;
  messageId: string;
  turn: string | null;
  message: StoredMessage | null;
  moved?: boolean;
}
export interface MessageDeletedEvent {
  kind: 'message-deleted';
  seq: number;
  at: string;
  messageId: string;
}
export interface MessagesClearedEvent {
  kind: 'messages-cleared';
  seq: number;
  at: string;
}
export interface TurnStartedEvent {
  kind: 'turn-started';
  seq: number;
  at: string;
  turn: string;
  messageId?: string | null;
  streaming: boolean;
}
export interface StreamOpenedEvent {
  kind: 'stream-opened';
  turn: string;
  messageId: string;
}
export interface ChunkEvent {
  kind: 'chunk';
  turn: string;
  seq?: number;
  data: UIMessageChunk | unknown;
}
/**
 * A chunk of an AI SDK message stream.
 */
export interface UIMessageChunk {
  type: string;
}
export interface TurnAwaitingEvent {
  kind: 'turn-awaiting';
  seq: number;
  at: string;
  turn: string;
  messageId?: string | null;
  reason?: string | null;
  pending: PendingCall[];
}
export interface TurnStoppingEvent {
  kind: 'turn-stopping';
  seq: number;
  at: string;
  turn: string;
  reason?: string | null;
}
export interface TurnRecoveringEvent {
  kind: 'turn-recovering';
  seq: number;
  at: string;
  turn: string;
  reason?: string | null;
}
export interface TurnEndedEvent {
  kind: 'turn-ended';
  seq: number;
  at: string;
  turn: string;
  messageId?: string | null;
  outcome: 'completed' | 'stopped' | 'failed' | 'interrupted';
  reason?: string | null;
}
export interface PropertyChangedEvent {
  kind: 'property-changed';
  seq: number;
  at: string;
  name: string;
}
export interface ModeChangedEvent {
  kind: 'mode-changed';
  seq: number;
  at: string;
  mode: string | null;
}
export interface SessionClosedEvent {
  kind: 'session-closed';
  seq: number;
  at: string;
  reason?: string | null;
}
export interface SessionReopenedEvent {
  kind: 'session-reopened';
  seq: number;
  at: string;
}
/**
 * Who drives the session has changed.
 */
export interface Driver {
  type: 'driver';
  session: SessionId;
  driver: 'you' | 'other' | 'none';
  displaced?: boolean;
}
/**
 * The answer to a command: a result, or a problem.
 */
export interface Reply {
  type: 'reply';
  /**
   * The command's; empty where it had none.
   */
  id: string;
  status: number;
  result?: {};
  problem?: Problem;
}
/**
 * The answer to a probe, on the way down.
 */
export interface Probe {
  type: 'probe';
  nonce: string;
}
/**
 * Nothing else came for a while.
 */
export interface Heartbeat {
  type: 'heartbeat';
}
/**
 * The server ends the connection on purpose; come back.
 */
export interface Rotate {
  type: 'rotate';
  reason: 'rotation' | 'draining';
  retryMillis: number;
}
/**
 * The last message; do not come back unasked.
 */
export interface Goodbye {
  type: 'goodbye';
  reason: 'left';
}
export interface ReconnectResult {
  sessions: {
    session: SessionId;
    attached: boolean;
    problem?: Problem;
  }[];
}
export interface WatchResult {
  attached: true;
}
export interface UnwatchResult {
  watched: false;
}
export interface SwitchResult {
  session: string | null;
}
/**
 * Durable proof that a turn was accepted.
 */
export interface Receipt {
  session: SessionId;
  turn: string;
  state: TurnState;
  /**
   * The message that the turn writes.
   */
  messageId: string;
  /**
   * Whether this command started it; false if it was there.
   */
  started: boolean;
}
export interface StopResult {
  accepted: boolean;
  turn: string | null;
  state: TurnState | null;
}
export interface AnswerResult {
  effect: 'applied' | 'repeated' | 'kept';
  turn: string;
  state: TurnState;
}
export interface ModeResult {
  mode: string;
}
export interface CloseResult {
  accepted: boolean;
  reason: string | null;
}
