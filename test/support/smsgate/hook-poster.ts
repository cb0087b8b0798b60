import { createHmac, randomUUID } from 'node:crypto';
import type { HookEvent } from './app-hooks';
import type { AppStorage, QueuedPost } from './app-storage';
import { type AppTime, HOUR, SECOND } from './app-time';

const TIMEOUT_MS = 5_000;
const FIRST_RETRY = 5 * SECOND;
const DEFAULT_RETRIES = 15;
const POSTS_EXPIRE_AFTER = 7 * 24 * HOUR;

/** What the APK lets through: `release` has plain http to 127.0.0.1 only. */
export type AppVariant = 'release' | 'insecure';

/** Posts events to the webhooks of the service, signed anew each time, until it accepts them. */
export class HookPoster {
  constructor(
    private readonly storage: AppStorage,
    private readonly time: AppTime,
    private readonly now: () => number,
    private readonly variant: AppVariant,
    private readonly stopped: AbortSignal,
    private readonly onError: (error: string) => void,
  ) {}

  /** Queues a post to each webhook of the event. */
  post(event: HookEvent, payload: object): void {
    for (const hook of this.storage.hooks.filter((each) => each.event === event)) {
      const post = { id: randomUUID(), hook, event, payload, createdAt: this.now(), retries: 0 };
      this.storage.posts.set(post.id, post);
      void this.deliver(post);
    }
  }

  /** Continues with what was not accepted before a restart. */
  resume(): void {
    for (const post of this.storage.posts.values()) void this.deliver(post);
  }

  private async deliver(post: QueuedPost): Promise<void> {
    const { posts, settings } = this.storage;
    while (!this.stopped.aborted && this.now() - post.createdAt < POSTS_EXPIRE_AFTER) {
      try {
        await this.attempt(post);
        posts.delete(post.id);
        return;
      } catch (error) {
        this.onError(`${post.event} to ${post.hook.url}: ${String(error)}`);
      }
      if (post.retries >= (settings.hookRetries ?? DEFAULT_RETRIES)) break;
      const delay = FIRST_RETRY * 2 ** post.retries;
      post.retries += 1;
      if (!(await this.time.wait(delay, this.stopped))) return;
    }
    if (!this.stopped.aborted) posts.delete(post.id);
  }

  private async attempt({ id, hook, event, payload }: QueuedPost): Promise<void> {
    const { protocol, hostname } = new URL(hook.url);
    if (protocol === 'http:' && this.variant === 'release' && hostname !== '127.0.0.1')
      throw new Error('CLEARTEXT communication not permitted by network security policy');
    const deviceId = this.storage.registration?.id;
    const body = JSON.stringify({ id, webhookId: hook.id, event, deviceId, payload });
    const timestamp = String(Math.floor(this.now() / 1_000));
    const answer = await fetch(hook.url, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'x-timestamp': timestamp,
        'x-signature': signPost(
          this.storage.settings.signingKey ?? this.storage.ownSigningKey,
          body,
          timestamp,
        ),
      },
      signal: AbortSignal.any([this.stopped, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`status ${answer.status}`);
  }
}

/** The value of `X-Signature`. */
export function signPost(key: string, body: string, timestamp: string): string {
  return createHmac('sha256', key)
    .update(body + timestamp)
    .digest('hex');
}
