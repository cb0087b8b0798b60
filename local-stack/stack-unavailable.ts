/** MongoDB or Redis is missing; the message says what to do. */
export class StackUnavailable extends Error {}
