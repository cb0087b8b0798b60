import type { QueryClient } from '@tanstack/react-query';
import { BASE_PATH } from './base-path';
import { HINT_KINDS, type HintKind, readAgain } from './read-again';

/** What the service tells: that something of a kind changed, or whether hints arrive. */
type Hint = HintKind | 'degraded' | 'restored';

/** A host may have several services. */
const LEADER = `messaging-gateway-events ${BASE_PATH}`;

/** While the service has no Redis, hints do not arrive, and pages ask more often. */
const DEGRADED_REFRESH_MS = 5_000;

const RECONNECT_MS = 10_000;

/** Hints that arrive together cause one read. */
const COLLECT_MS = 250;

/**
 * Reads again what a page shows when the service tells that it changed. One tab of a browser holds the stream and tells the others,
 * because browsers open six connections to a service.
 * @returns ends it.
 */
export function startLiveUpdates(queries: QueryClient): () => void {
  const channel = new BroadcastChannel(LEADER);
  const ended = new AbortController();
  const apply = collectHints(queries);
  const degraded = degradedRefresh(queries);
  const receive = (hint: Hint) => {
    if (hint === 'degraded') degraded.start();
    else if (hint === 'restored') degraded.stop();
    else apply(hint);
  };
  channel.onmessage = ({ data }: MessageEvent<Hint>) => receive(data);
  const tell = (hint: Hint) => {
    channel.postMessage(hint);
    receive(hint);
  };
  void lead(ended.signal, tell);
  return () => {
    ended.abort();
    degraded.stop();
    channel.close();
  };
}

/** Holds the stream for as long as this tab is the leader. */
async function lead(signal: AbortSignal, tell: (hint: Hint) => void): Promise<void> {
  const hold = () =>
    new Promise<void>((resolve) => {
      let source = connect(tell);
      // The browser reconnects by itself, except after an error status.
      const timer = setInterval(() => {
        if (source.readyState === EventSource.CLOSED) source = connect(tell);
      }, RECONNECT_MS);
      signal.addEventListener('abort', () => {
        clearInterval(timer);
        source.close();
        resolve();
      });
    });
  // Locks exist only in secure contexts; without them each tab has a stream of its own.
  if (!('locks' in navigator)) return hold();
  await navigator.locks.request(LEADER, { signal }, hold).catch(() => undefined);
}

function connect(tell: (hint: Hint) => void): EventSource {
  const source = new EventSource(`${BASE_PATH}/api/v1/events`);
  for (const kind of HINT_KINDS) {
    source.addEventListener(kind, () => {
      tell(kind);
    });
  }
  source.addEventListener('ready', ({ data }: MessageEvent<string>) => {
    // Hints of the time without a connection are lost.
    for (const kind of HINT_KINDS) tell(kind);
    tell(data.includes('true') ? 'restored' : 'degraded');
  });
  for (const state of ['degraded', 'restored'] as const) {
    source.addEventListener(state, () => {
      tell(state);
    });
  }
  source.onerror = () => {
    tell('degraded');
  };
  return source;
}

function collectHints(queries: QueryClient): (kind: HintKind) => void {
  const kinds = new Set<HintKind>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const read = () => {
    timer = undefined;
    const collected = [...kinds];
    kinds.clear();
    void readAgain(queries, collected);
  };
  return (kind) => {
    kinds.add(kind);
    timer ??= setTimeout(read, COLLECT_MS);
  };
}

function degradedRefresh(queries: QueryClient) {
  let timer: ReturnType<typeof setInterval> | undefined;
  return {
    start: () => {
      timer ??= setInterval(
        () => void queries.invalidateQueries({ refetchType: 'active' }),
        DEGRADED_REFRESH_MS,
      );
    },
    stop: () => {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
