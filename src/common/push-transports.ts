/** How phones get messages. What follows from a name is in `PhoneCapabilities`. */
export const PUSH_TRANSPORTS = ['fcm', 'stream', 'wake'] as const;

export type PushTransportName = (typeof PUSH_TRANSPORTS)[number];

/** Those that an app may register with. */
export const REGISTERED_TRANSPORTS = ['fcm', 'stream'] as const satisfies readonly PushTransportName[];
