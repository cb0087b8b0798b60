import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import type { Credential } from 'firebase-admin/app';
import type { Messaging } from 'firebase-admin/messaging';
import type { PushCommand, PushResult, PushTarget, PushTransport } from '../transport/push-transport';
import { FIREBASE_SETTINGS } from '../../config/sections/push.config';
import { dataBytes, fcmMessage, MAX_DATA_BYTES } from './fcm-message';
import { firebaseCode, pushResultOfError } from './fcm-result';
import { FIREBASE_APP, type FirebaseApp } from './firebase-app';
import { AttemptResult, PushAttempt } from './push-attempt';
import { currentRequestGate } from '../../infrastructure/patches/fcm-agent';
import { Clock } from '../../common/clock';
import { formatError } from '../../common/format-error';

/** The same as FCM's own limit for one call. */
const BATCH_SIZE = 500;

const SIGN_IN_TIMEOUT_MS = 10_000;

@Injectable()
export class FcmTransport implements PushTransport, OnApplicationShutdown {
  private readonly logger = new Logger(FcmTransport.name);

  constructor(
    @Inject(FIREBASE_APP) private readonly firebase: FirebaseApp | null,
    private readonly clock: Clock,
  ) {
    if (!firebase)
      this.logger.warn(
        `${FIREBASE_SETTINGS} are not set: phones registered for FCM cannot be reached, only phones on streams`,
      );
  }

  get isConfigured(): boolean {
    return this.firebase !== null;
  }

  fits(command: PushCommand): boolean {
    return dataBytes(command) <= MAX_DATA_BYTES;
  }

  async push({ fcmToken }: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]> {
    const results: PushResult[] = [];
    for (let first = 0; first < commands.length; first += BATCH_SIZE) {
      const chunk = commands.slice(first, first + BATCH_SIZE);
      results.push(...(await this.pushChunk(fcmToken, chunk)));
    }
    return results;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.firebase?.close();
  }

  private async pushChunk(
    token: string | undefined,
    commands: readonly PushCommand[],
  ): Promise<PushResult[]> {
    const { firebase } = this;
    if (!firebase || !token || !(await this.isSignedIn(firebase.credential)))
      return commands.map(() => ({ outcome: 'unavailable' }));
    const attempts = await Promise.all(
      commands.map((command) => this.pushOne(firebase.messaging, token, command)),
    );
    const notAccepted = attempts.filter(({ result }) => result.outcome !== 'accepted');
    const [first] = notAccepted;
    if (first) {
      this.logger.warn(
        `FCM accepted ${attempts.length - notAccepted.length} of ${attempts.length} pushes; first failure: ` +
          `${first.result.outcome}, ${first.reason ?? 'no reason given'}`,
      );
    }
    return attempts.map(({ result }) => result);
  }

  /** Checked before each push, because the SDK waits for an access token without a timeout. */
  private async isSignedIn(credential: Credential | undefined): Promise<boolean> {
    const timer = new AbortController();
    const timeout = sleep(SIGN_IN_TIMEOUT_MS, undefined, { signal: timer.signal }).then(() => {
      throw new Error(`no access token within ${SIGN_IN_TIMEOUT_MS / 1_000} s`);
    });
    try {
      await Promise.race([credential?.getAccessToken(), timeout]);
      return true;
    } catch (failure) {
      this.logger.warn(`Signing in to Firebase failed; pushes are retried: ${reasonOf(failure)}`);
      return false;
    } finally {
      timer.abort();
      await timeout.catch(() => undefined);
    }
  }

  /**
   * Uses the SDK's `send` instead of `sendEach`: the SDK never settles a request whose response is cut off, and with
   * `sendEach` that would lose the results of all messages.
   */
  private async pushOne(messaging: Messaging, token: string, command: PushCommand): Promise<AttemptResult> {
    if (!this.fits(command))
      return {
        result: { outcome: 'refused', code: 'PUSH_TOO_LONG', isTokenInvalid: false },
        reason: 'the text is too long',
      };
    const attempt = new PushAttempt();
    const answered = currentRequestGate.run(attempt, async (): Promise<AttemptResult> => {
      try {
        await messaging.send(fcmMessage(token, command, this.clock.now()));
        return { result: { outcome: 'accepted' } };
      } catch (failure) {
        return { result: pushResultOfError(failure, attempt.wasSent), reason: reasonOf(failure) };
      }
    });
    try {
      return await Promise.race([answered, attempt.failed]);
    } finally {
      attempt.end();
    }
  }
}

const reasonOf = (failure: unknown): string =>
  `${firebaseCode(failure)} ${formatError(failure)}`.trim().slice(0, 300);
