import { SECOND_MS } from '../common/durations';

/** Between two keep-alives of a stream, which also check its access. */
export const KEEPALIVE_S = 15;

/** Between two looks for what waits for the phone of a stream. */
export const CATCH_UP_S = 60;

interface ClosableStream {
  /** Calls the listener when the stream is closed, or now if it was closed before. */
  onClose(listener: () => void): void;
}

/** The streams whose second has come. */
export interface DueStreams<Stream> {
  readonly forKeepAlive: readonly Stream[];
  readonly forCatchUp: readonly Stream[];
}

/**
 * Gives each open stream a second of the minute that it keeps: what is done for every stream at an interval is done for a part of them
 * each second, and never for all at once.
 */
export class StreamRounds<Stream extends ClosableStream> {
  private readonly seconds = Array.from({ length: CATCH_UP_S }, () => new Set<Stream>());
  private last: number;

  /** @param nowMs of a clock that is never set back. */
  constructor(nowMs = performance.now()) {
    this.last = secondOf(nowMs);
  }

  /** Adds a stream until it is closed, in the second with the fewest. */
  add(stream: Stream): void {
    const second = this.seconds.reduce((fewest, next) => (next.size < fewest.size ? next : fewest));
    second.add(stream);
    stream.onClose(() => second.delete(stream));
  }

  /** Returns the streams of the seconds since the last call, each once; call it every second. */
  takeDue(nowMs: number): DueStreams<Stream> {
    const now = secondOf(nowMs);
    const passed = Math.max(0, now - this.last);
    this.last += passed;
    return {
      forKeepAlive: this.streamsOf(now, Math.min(passed, KEEPALIVE_S), KEEPALIVE_S),
      forCatchUp: this.streamsOf(now, Math.min(passed, CATCH_UP_S), CATCH_UP_S),
    };
  }

  /** The streams of this number of seconds up to now, if each comes again after `period` seconds. */
  private streamsOf(now: number, count: number, period: number): Stream[] {
    return this.seconds.flatMap((streams, second) =>
      modulo(now - second, period) < count ? [...streams] : [],
    );
  }
}

const secondOf = (ms: number): number => Math.floor(ms / SECOND_MS);

const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;
