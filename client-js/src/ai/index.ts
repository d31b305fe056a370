export { HoldfastChatTransport } from './transport.js';
export type { ChatTransportOptions } from './transport.js';
export type { Major } from './gate.js';
