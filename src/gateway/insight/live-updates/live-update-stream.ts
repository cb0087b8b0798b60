import type { ServerResponse } from 'node:http';
import type { AuthenticatedAccount } from '../../../auth/account-scope';
import { SseStream } from '../../../common/http/streams/sse-stream';
import type { HintKind, Hints } from '../../../infrastructure/live/hint';

/** Minutes of hints; a client that reads more slowly is disconnected. */
const MAX_BUFFERED_BYTES = 64 * 1024;

/** An open event stream of an account: hints as Server-Sent Events. */
export class LiveUpdateStream extends SseStream {
  private live?: boolean;

  constructor(
    readonly account: AuthenticatedAccount,
    response: ServerResponse,
  ) {
    super(response, MAX_BUFFERED_BYTES);
  }

  /** Whether the client was last told that no hints arrive. */
  get isDegraded(): boolean {
    return this.live === false;
  }

  /** Sends one event for each kind. */
  sendHints(hints: Hints): void {
    for (const kind of Object.keys(hints) as HintKind[]) this.sendEvent(kind, hints[kind] ?? {});
  }

  /** Sends the first event: whether hints arrive. */
  sendReady(isLive: boolean): void {
    this.live = isLive;
    this.sendEvent('ready', { live: isLive });
  }

  /** Sends whether hints arrive, if that has changed since `ready`. */
  sendState(isLive: boolean): void {
    if (this.live === undefined || isLive === this.live) return;
    this.live = isLive;
    this.sendEvent(isLive ? 'restored' : 'degraded', {});
  }
}
