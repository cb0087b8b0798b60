import { type AppTime, retryDelay } from './app-time';

/** Fetches the list of messages; a new request cancels the running fetch and starts it again. */
export class MessageFetcher {
  /** Fetches that were started, and those whose list was read. */
  started = 0;
  completed = 0;
  private running?: AbortController;

  constructor(
    private readonly time: AppTime,
    private readonly stopped: AbortSignal,
    private readonly fetchList: (signal: AbortSignal) => Promise<void>,
    private readonly onError: (error: string) => void,
  ) {}

  restart(): void {
    this.running?.abort();
    this.running = new AbortController();
    void this.run(AbortSignal.any([this.running.signal, this.stopped]));
  }

  private async run(signal: AbortSignal): Promise<void> {
    let retry = -1;
    do {
      retry += 1;
      try {
        this.started += 1;
        await this.fetchList(signal);
        this.completed += 1;
        return;
      } catch (error) {
        if (!signal.aborted) this.onError(`fetch: ${String(error)}`);
      }
    } while (await this.time.wait(retryDelay(retry), signal));
  }
}
