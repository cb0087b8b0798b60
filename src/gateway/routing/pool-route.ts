import { MINUTE_MS } from '../../common/durations';
import type { HeldMessage } from '../../devices/sims/sim-admission.service';
import { NO_CHOICE_WAITS, type SimChoice } from '../../devices/sims/pools/choose-sim';
import { MAX_ENDED_ATTEMPTS, PUSH_UNAVAILABLE } from '../../messages/ended-attempt';
import type { OutgoingMessage } from '../../messages/message.schema';
import { partsOf } from '../../messages/text/segments';
import type { PoolCandidate, PooledMessage, PoolView } from '../senders/pool-view';

/** Until a message that waits for a change without a known time, such as a phone that comes back, is routed again. */
const REROUTE_WITHOUT_TIME_MS = MINUTE_MS;

/** Until a message whose time is known is routed again, because a SIM of its pool may have changed. */
const REROUTE_WITH_TIME_MS = 10 * MINUTE_MS;

/** What becomes of a due message of a pool. */
export type PoolRoute =
  | { readonly kind: 'send'; readonly to: PoolCandidate; readonly choice?: OutgoingMessage['choice'] }
  | { readonly kind: 'hold'; readonly held: HeldMessage }
  /** No SIM of the pool can take it at any time, or too many attempts have ended. */
  | { readonly kind: 'fail'; readonly code: string };

type NoSim = Extract<SimChoice<PoolCandidate>, { readonly sim?: undefined }>;

/**
 * Decides by which SIM a due message leaves: the one it is bound to if that can take it, else another one of its pool. A
 * phone that may have had it, or that could not be reached for long, never gets it again. One that the push service could not reach
 * now gets it again if no other can take it.
 */
export function routeInPool(
  view: PoolView,
  message: OutgoingMessage,
  sending: Pick<PooledMessage, 'isSingleUrgent' | 'waitsForPhonePace'>,
  now: Date,
): PoolRoute {
  const { sim, attempts = [] } = message;
  const pooled = {
    peerNumber: message.peerNumber,
    parts: partsOf(message),
    isDue: true,
    ...sending,
  };
  const unfit = message.encryptedMessage === undefined ? [] : withoutEncryption(view);
  const avoided = [...unfit, ...attempts.map(({ device }) => device)];
  const excluded = [
    ...unfit,
    ...attempts.filter(({ outcome }) => outcome !== 'unavailable').map(({ device }) => device),
  ];
  const lastCode = attempts.at(-1)?.code ?? PUSH_UNAVAILABLE;
  if (attempts.length >= MAX_ENDED_ATTEMPTS) return { kind: 'fail', code: lastCode };

  const kept = sim && view.keep({ ...pooled, exceptDevices: avoided }, sim);
  if (kept) return { kind: 'send', to: kept };
  let choice = view.choose({ ...pooled, exceptDevices: avoided });
  if (!choice.sim && excluded.length < avoided.length)
    choice = view.choose({ ...pooled, exceptDevices: excluded });
  if (choice.sim) return { kind: 'send', to: choice.sim, choice: { reason: choice.reason, at: now } };
  if (attempts.length > 0 && !hasSimLeft(view, choice)) return { kind: 'fail', code: lastCode };
  return { kind: 'hold', held: heldBy(view, message, pooled, choice, now) };
}

const withoutEncryption = ({ members }: PoolView) =>
  members.flatMap(({ device }) => (device && !device.supportsEncryption ? device._id : []));

/** Whether a SIM that is in a phone may take the message at some time. */
const hasSimLeft = (view: PoolView, { rejections }: NoSim) =>
  rejections.some(({ sim, reason }) => reason !== 'country' && view.isInPhone(sim));

function heldBy(
  view: PoolView,
  { _id: id }: OutgoingMessage,
  pooled: PooledMessage,
  { reason, until, rejections }: NoSim,
  now: Date,
): HeldMessage {
  const first = rejections.find(
    (each) => each.reason === reason && each.until?.getTime() === until?.getTime(),
  );
  const isOpenEnded = rejections.length === 0 || rejections.some((each) => each.until === undefined);
  const rerouteAt = now.getTime() + (isOpenEnded ? REROUTE_WITHOUT_TIME_MS : REROUTE_WITH_TIME_MS);
  return {
    id,
    reason:
      reason === 'limits'
        ? (view.limitOf(pooled, first?.sim ?? '') ?? 'parts_per_minute')
        : NO_CHOICE_WAITS[reason],
    ...(until && { until }),
    retryAt: new Date(Math.min(until?.getTime() ?? Infinity, rerouteAt)),
  };
}
