import type { SendBulkSmsRequest } from '../../../generated';
import { instantOf } from '../../preferences/zoned-time';

export type Purpose = NonNullable<SendBulkSmsRequest['purpose']>;

/** What a person chooses for a campaign besides recipients and text. */
export interface CampaignOptions {
  /** `pool:ID`, `device:ID`, `sim:DEVICE:SUBSCRIPTION`, or null for the service's choice. */
  readonly sender: string | null;
  readonly isLater: boolean;
  /** `YYYY-MM-DDTHH:mm` on the clocks of the zone. */
  readonly clock: string;
  readonly zone: string;
  readonly hasQuietHours: boolean;
  readonly quietFrom: string;
  readonly quietTo: string;
  readonly isUrgent: boolean;
  /** Seconds; null for no limit. */
  readonly validity: string | null;
  /** Null: not declared. */
  readonly purpose: Purpose | null;
}

export const initialOptions = (zone: string): CampaignOptions => ({
  sender: null,
  isLater: false,
  clock: '',
  zone,
  hasQuietHours: false,
  quietFrom: '21:00',
  quietTo: '08:00',
  isUrgent: false,
  validity: null,
  purpose: null,
});

/** The fields of each entry. */
export function entryFieldsOf({ sender, isLater, clock, zone }: CampaignOptions) {
  const [kind, , subscription] = sender?.split(':') ?? [];
  const scheduledAt = isLater ? instantOf(clock, zone)?.toISOString() : undefined;
  return {
    ...(scheduledAt && { scheduledAt }),
    ...(kind === 'sim' && { simSubscriptionId: Number(subscription) }),
  };
}

/** The fields beside the entries. */
export function sendFieldsOf(options: CampaignOptions): Omit<SendBulkSmsRequest, 'messages'> {
  const { sender, hasQuietHours, quietFrom, quietTo, isUrgent, validity, purpose } = options;
  const [kind, id] = sender?.split(':') ?? [];
  return {
    ...(kind === 'pool' && { poolId: id }),
    ...((kind === 'device' || kind === 'sim') && { deviceId: id }),
    ...(hasQuietHours && { quietHours: { from: quietFrom, to: quietTo } }),
    ...(isUrgent && { priority: 'urgent' as const }),
    ...(purpose !== null && { purpose }),
    ...(validity !== null && { validForSeconds: Number(validity) }),
  };
}

/** Whether a time is chosen if there has to be one. */
export const isComplete = ({ isLater, clock, zone, hasQuietHours, quietFrom, quietTo }: CampaignOptions) =>
  (!isLater || instantOf(clock, zone) !== undefined) &&
  (!hasQuietHours || (quietFrom !== '' && quietTo !== ''));
