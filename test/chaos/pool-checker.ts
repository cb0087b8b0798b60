import { groupBy } from '../../src/common/group-by';
import type { Verdict } from './verdict';
import type { Evidence, MessageEvidence, SendEvidence, SentSms } from './evidence';

type Fate = SentSms['fate'];

/** What finally became of a message. */
export interface Outcome {
  readonly smsId: string;
  /** The phone that it counts for. */
  readonly device: string;
  readonly fate: Fate;
}

/** A message of a pool with what its phones did. */
export interface PooledMessage {
  /** How the findings name it. */
  readonly what: string;
  readonly send: SendEvidence;
  readonly message: MessageEvidence;
  readonly sent: readonly SentSms[];
  /** Whether the phone that it is stored for is behind FCM. */
  readonly isFcm: boolean;
  /** The phones of its pushes in doubt. */
  readonly inDoubtFor: readonly string[];
  /** The codes of the steps of its explanation. */
  readonly steps: readonly string[];
}

type Findings = { readonly [List in keyof Verdict]: string[] };

/** Failures by which a phone proves that it has sent nothing of a message of one part. */
const NOT_SENT_CODES: ReadonlySet<string | undefined> = new Set(['2', '4', '5', 'PERMISSION_DENIED']);

/** A message moves to another phone this long after such a failure. */
const MOVE_DELAY_MS = 10_000;

const FATES: readonly Fate[] = ['delivered', 'sent', 'failed'];

const isProof = ({ fate, isOnAir, error }: SentSms) =>
  fate === 'failed' && !isOnAir && NOT_SENT_CODES.has(error);

/** Whether a phone reported that it had sent a message after all, but only when it may have moved. */
const isLateContradiction = ({ contradictedAfterMs = 0 }: SentSms) => contradictedAfterMs > MOVE_DELAY_MS;

/**
 * What finally became of the messages that phones had or that failed. Each record of a message that names its phone is an
 * outcome; a message of a pool has one, whichever phones had it.
 */
export function outcomesOf({
  sends,
  sentSms,
  messages,
}: Pick<Evidence, 'sends' | 'sentSms' | 'messages'>): Outcome[] {
  const pooled = new Set(sends.flatMap(({ pool, recipients }) => (pool ? recipients : [])));
  const sent = groupBy(
    sentSms.filter(({ recipient }) => pooled.has(recipient)),
    ({ smsId }) => smsId,
  );
  return [
    ...sentSms.filter(({ recipient }) => !pooled.has(recipient)),
    ...messages
      .filter(({ recipient }) => recipient !== undefined && pooled.has(recipient))
      .flatMap((message) => outcomeOf(message, sent.get(message.id) ?? [])),
  ];
}

function outcomeOf({ id: smsId, device, status }: MessageEvidence, sent: readonly SentSms[]): Outcome[] {
  const success = sent.find(({ fate }) => fate !== 'failed');
  // Whichever came first: the report of another phone, the end of the last attempt, or the second report of this one.
  const stored = FATES.find((fate) => fate === status);
  if (sent.some(isLateContradiction) && stored) return [{ smsId, device, fate: stored }];
  if (success) return [{ smsId, device: success.device, fate: success.fate }];
  const hasFailed = stored === 'failed' || sent.some((sms) => !isProof(sms));
  return hasFailed ? [{ smsId, device, fate: 'failed' }] : [];
}

/** A message of a pool was sent once by one of its phones, or failed for a reason, and moved only with proof. */
export function checkPooled(pooled: PooledMessage, findings: Findings): void {
  checkSender(pooled, findings);
  checkMoves(pooled, findings);
  checkResult(pooled, findings);
}

function checkSender({ what, send, sent }: PooledMessage, findings: Findings): void {
  const onAir = sent.filter(({ isOnAir }) => isOnAir);
  if (onAir.length > 1) {
    const text = `${what} was sent ${onAir.length} times, by ${onAir.map(({ device }) => device).join(', ')}`;
    const isAllowed = onAir.length === 2 && onAir.some(isLateContradiction);
    findings[isAllowed ? 'lateContradictions' : 'duplicates'].push(text);
  }
  for (const sms of sent) {
    if (!send.pool?.includes(sms.device) || sms.text !== send.text || sms.batch !== send.batches[0])
      findings.otherErrors.push(`${what} was sent with other content: ${JSON.stringify(sms)}`);
  }
}

/** What the service takes for proof that a message did not leave must be what the phone did, and be explained. */
function checkMoves({ what, message, sent, inDoubtFor, steps }: PooledMessage, { unproven }: Findings): void {
  const { device, attempts } = message;
  for (const sms of sent) {
    if (sms.device === device) continue;
    if (!isProof(sms) && !isLateContradiction(sms))
      unproven.push(`${what} moved from ${sms.device}, which may have sent it: ${sms.error ?? sms.fate}`);
    else if (!attempts.some((attempt) => attempt.device === sms.device))
      unproven.push(`${what} moved from ${sms.device} without an ended attempt`);
  }
  for (const phone of inDoubtFor) {
    if (phone !== device && !sent.some((sms) => sms.device === phone))
      unproven.push(`${what} moved from ${phone}, for which its push was in doubt`);
  }
  for (const attempt of attempts) {
    const ofPhone = sent.filter((sms) => sms.device === attempt.device);
    const hasReported = ofPhone.some((sms) => isProof(sms) || sms.contradictedAfterMs !== undefined);
    if (attempt.outcome === 'not_sent' && !hasReported)
      unproven.push(`${what} has an attempt that ${attempt.device} did not report as not sent`);
    if (attempt.outcome === 'refused' && ofPhone.length > 0)
      unproven.push(`${what} was refused for ${attempt.device}, which has had it`);
  }
  const explained = [...steps];
  for (const { outcome } of attempts) {
    const index = explained.indexOf(`attempt_${outcome}`);
    if (index < 0) unproven.push(`${what} (${message.id}) has no step for its attempt that was ${outcome}`);
    else explained.splice(index, 1);
  }
}

function checkResult({ what, send, message, sent, isFcm }: PooledMessage, findings: Findings): void {
  const { id, device, status, errorCode, attempts } = message;
  const name = `${what} (${id})`;
  const [outcome] = outcomeOf(message, sent);
  const open = sent.filter((sms) => !isProof(sms));
  if (open.length > 0 && outcome) {
    if (status !== outcome.fate)
      findings.otherErrors.push(`${name} is ${String(status)}, but its phone reported ${outcome.fate}`);
    if (device !== outcome.device)
      findings.otherErrors.push(`${name} is stored for ${device}, and ${outcome.device} had it`);
    for (const { smsId } of open)
      if (smsId !== id) findings.otherErrors.push(`${what} was sent as ${smsId} and is stored as ${id}`);
    return;
  }
  const isWithPhone = sent.every((sms) => sms.device !== device);
  if (isFcm && isWithPhone && (status === 'dispatched' || status === 'unknown')) {
    findings.inDoubt.push(`${name} is ${status} and was never sent by the phone`);
    return;
  }
  const wasTriedBy = (phone: string) =>
    attempts.some((attempt) => attempt.device === phone && attempt.outcome !== 'unavailable');
  const untried = send.pool?.filter((phone) => !wasTriedBy(phone)) ?? [];
  if (status !== 'failed') findings.losses.push(`${name} was never sent; it is ${String(status)}`);
  else if (errorCode === undefined) findings.losses.push(`${name} failed without a reason`);
  else if (untried.length > 0)
    findings.losses.push(`${name} failed with ${errorCode}, but not by ${untried.join(', ')}`);
}
