import { isValidObjectId, Types } from 'mongoose';
import { truncateText } from '../../common/text/truncate-text';
import type { StatusReport } from '../../messages/reports/status-report';
import { TooManyReports } from './smsgate.errors';

/** The app reports the messages of one fetch at most. */
const MAX_REPORTS = 1_000;

const MAX_ERROR_CHARACTERS = 1_000;

/** TP-status of delivery reports from which on the message will not arrive. */
const PERMANENT_FAILURE = 64;

/** What the app says of one message. Each of them acknowledges it. */
export type ReportedState =
  | { readonly id: Types.ObjectId; readonly kind: 'received' }
  | { readonly id: Types.ObjectId; readonly kind: 'cancelled' }
  | { readonly id: Types.ObjectId; readonly kind: 'status'; readonly report: StatusReport };

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the body of a report. What is odd in it is left out, because the app gives a refused report up after ten tries.
 * @throws TooManyReports
 */
export function readStates(body: unknown): ReportedState[] {
  const entries = Array.isArray(body) ? (body as unknown[]) : [body];
  if (entries.length > MAX_REPORTS) throw new TooManyReports(MAX_REPORTS);
  return entries.flatMap((entry) => (isFields(entry) ? readState(entry) : []));
}

function readState(entry: Fields): ReportedState[] {
  const { id: text, state, states, recipients } = entry;
  if (typeof text !== 'string' || !isValidObjectId(text) || text.length !== 24) return [];
  const id = new Types.ObjectId(text);
  const times = isFields(states) ? states : {};
  const timeOf = (name: string) => dateOf(times[name]);
  const common = {
    pushReceivedAt: timeOf('Pending'),
    sendAttemptedAt: timeOf('Processed'),
    sentAt: timeOf('Sent'),
  };
  switch (state) {
    case 'Sent':
      return [{ id, kind: 'status', report: { status: 'sent', ...common } }];
    case 'Delivered':
      return [
        { id, kind: 'status', report: { status: 'delivered', ...common, deliveredAt: timeOf('Delivered') } },
      ];
    case 'Failed': {
      const failure = failureOf(errorOf(recipients));
      return [
        {
          id,
          kind: 'status',
          report: { status: 'failed', ...common, failedAt: timeOf('Failed'), ...failure },
        },
      ];
    }
    case 'Cancelled':
      return [{ id, kind: 'cancelled' }];
    default:
      return [{ id, kind: 'received' }];
  }
}

function errorOf(recipients: unknown): string | undefined {
  const [first] = Array.isArray(recipients) ? (recipients as unknown[]) : [];
  const error = isFields(first) ? first.error : undefined;
  return typeof error === 'string' && error !== '' ? truncateText(error, MAX_ERROR_CHARACTERS) : undefined;
}

/** The code of a failure by the text of the app. */
function failureOf(error: string | undefined): Pick<StatusReport, 'errorCode' | 'errorMessage'> {
  if (error === undefined) return {};
  const errorCode = errorCodeOf(error);
  return { errorMessage: error, ...(errorCode && { errorCode }) };
}

function errorCodeOf(error: string): string | undefined {
  const [result] = /RESULT_[A-Z_]+/.exec(error) ?? [];
  if (result) return result;
  if (/TTL expired/i.test(error)) return 'EXPIRED';
  if (/SIM \d+ not found|SIM selection requires/i.test(error)) return 'SIM_NOT_FOUND';
  if (error.includes('SEND_SMS')) return 'PERMISSION_DENIED';
  const [, status] = /Delivery result from SC .*: *(\d{1,3})/.exec(error) ?? [];
  return Number(status) >= PERMANENT_FAILURE ? 'DELIVERY_FAILED' : undefined;
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

function dateOf(value: unknown): Date | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : new Date(time);
}
