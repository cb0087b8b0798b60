import { OPERATIONAL_EVENTS, type OperationalEvent } from '../devices/events/operational-event';
import { MESSAGE_EVENTS, type MessageEvent } from '../messages/message-event';

export const EMITTED_EVENTS = [...MESSAGE_EVENTS, ...OPERATIONAL_EVENTS] as const;
export type EmittedEvent = MessageEvent | OperationalEvent;

/** Events that subscriptions may list. `SMS_STATUS_UPDATED` is accepted, but never emitted. */
export const WEBHOOK_EVENTS = [...EMITTED_EVENTS, 'SMS_STATUS_UPDATED'] as const;
export type WebhookEvent = EmittedEvent | 'SMS_STATUS_UPDATED';
