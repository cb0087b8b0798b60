/** What account owners are told about; each topic can be switched off. */
export const NOTICE_TOPICS = [
  'phoneOffline',
  'phoneBack',
  'simUnhealthy',
  'webhookPaused',
  'planNearlyUsed',
] as const;
export type NoticeTopic = (typeof NOTICE_TOPICS)[number];

export interface NoticeSettings extends Readonly<Record<NoticeTopic, boolean>> {
  /** Whether they are mailed; a browser that shows them decides for itself. */
  readonly mail: boolean;
  /** How long a phone is offline before its owner is told. */
  readonly offlineAfterMinutes: number;
}

export const DEFAULT_NOTICE_SETTINGS: NoticeSettings = {
  mail: true,
  phoneOffline: true,
  phoneBack: true,
  simUnhealthy: true,
  webhookPaused: true,
  planNearlyUsed: true,
  offlineAfterMinutes: 10,
};

export const MAX_OFFLINE_AFTER_MINUTES = 1_440;
