import { MESSAGE_EVENTS, type MessageEvent } from '../../messages/outbox/message-event';

/** Events that subscriptions may list. The specification reserves `SMS_STATUS_UPDATED`; it is never emitted. */
export const WEBHOOK_EVENTS = [...MESSAGE_EVENTS, 'SMS_STATUS_UPDATED'] as const;
export type WebhookEvent = MessageEvent | 'SMS_STATUS_UPDATED';
