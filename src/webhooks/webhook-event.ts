import { MESSAGE_EVENTS, type MessageEvent } from '../messages/message-event';

/** What subscriptions may list. `SMS_STATUS_UPDATED` is reserved by the specification and never emitted. */
export const WEBHOOK_EVENTS = [...MESSAGE_EVENTS, 'SMS_STATUS_UPDATED'] as const;
export type WebhookEvent = MessageEvent | 'SMS_STATUS_UPDATED';
