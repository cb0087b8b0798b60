import { MESSAGE_EVENTS, type MessageEvent } from '../messages/message-event';

/** The event names of the specification. `SMS_STATUS_UPDATED` can be subscribed to, and is never emitted. */
export const WEBHOOK_EVENTS = [...MESSAGE_EVENTS, 'SMS_STATUS_UPDATED'] as const;
export type WebhookEvent = MessageEvent | 'SMS_STATUS_UPDATED';
