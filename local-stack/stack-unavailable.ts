/** The stack cannot be had on this machine; the message is one sentence that names the way out. */
export class StackUnavailable extends Error {}
