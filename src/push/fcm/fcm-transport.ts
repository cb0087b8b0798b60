import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger, OnApplicationShutdown } from '@nestjs/common';
import { type App, type Credential, deleteApp, initializeApp } from 'firebase-admin/app';
import { getMessaging, type Messaging } from 'firebase-admin/messaging';
import type { PushCommand, PushResult, PushTarget, PushTransport } from '../push-transport';
import { FIREBASE_SETTINGS } from '../../config/push.config';
import { dataBytes, fcmMessage, MOST_DATA_BYTES } from './fcm-message';
import { firebaseCode, resultOfError } from './fcm-result';
import { FIREBASE_OPTIONS, type FirebaseOptions } from './firebase-options';
import { AttemptEnd, attemptUnderWay, PushAttempt } from './push-attempt';
import { failureLine } from '../../common/failure-line';

/** Messages in hand at one time, as many as FCM's own limit for one call. */
const CHUNK = 500;

/** How long signing in to Google may take. */
const SIGN_IN_LIMIT_MS = 10_000;

/** Pushes over Firebase Cloud Messaging. */
@Injectable()
export class FcmTransport implements PushTransport, OnApplicationShutdown {
  private readonly logger = new Logger(FcmTransport.name);
  private readonly firebase?: { app: App; messaging: Messaging; credential?: Credential };

  constructor(@Inject(FIREBASE_OPTIONS) options: FirebaseOptions) {
    if (!options) {
      this.logger.warn(
        `${FIREBASE_SETTINGS} are not set: phones that registered for FCM cannot be reached, only those on streams`,
      );
      return;
    }
    // A name of its own: firebase-admin keeps its apps in one registry for the whole process.
    const app = initializeApp(options, randomUUID());
    this.firebase = { app, messaging: getMessaging(app), credential: options.credential };
  }

  /** Whether the server has what it needs to push over FCM at all. */
  get isConfigured(): boolean {
    return this.firebase !== undefined;
  }

  canReach({ fcmToken }: PushTarget): boolean {
    return this.firebase !== undefined && Boolean(fcmToken);
  }

  fits(command: PushCommand): boolean {
    return dataBytes(command) <= MOST_DATA_BYTES;
  }

  async push({ fcmToken }: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]> {
    const results: PushResult[] = [];
    for (let first = 0; first < commands.length; first += CHUNK) {
      const chunk = commands.slice(first, first + CHUNK);
      results.push(...(await this.pushChunk(fcmToken, chunk)));
    }
    return results;
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.firebase) await deleteApp(this.firebase.app);
  }

  private async pushChunk(
    token: string | undefined,
    commands: readonly PushCommand[],
  ): Promise<PushResult[]> {
    const { firebase } = this;
    if (!firebase || !token || !(await this.isSignedIn(firebase.credential)))
      return commands.map(() => ({ outcome: 'unavailable' }));
    const ends = await Promise.all(
      commands.map((command) => this.pushOne(firebase.messaging, token, command)),
    );
    const missed = ends.filter(({ result }) => result.outcome !== 'accepted');
    const [first] = missed;
    if (first) {
      this.logger.warn(
        `FCM took ${ends.length - missed.length} of ${ends.length} pushes; the first of the others: ` +
          `${first.result.outcome}, ${first.reason ?? 'for no reason given'}`,
      );
    }
    return ends.map(({ result }) => result);
  }

  /** Asked before anything is handed to the SDK, which would wait for Google's token without a limit. */
  private async isSignedIn(credential: Credential | undefined): Promise<boolean> {
    const limit = new AbortController();
    const tooSlow = sleep(SIGN_IN_LIMIT_MS, undefined, { signal: limit.signal }).then(() => {
      throw new Error(`no access token within ${SIGN_IN_LIMIT_MS / 1_000} s`);
    });
    try {
      await Promise.race([credential?.getAccessToken(), tooSlow]);
      return true;
    } catch (failure) {
      this.logger.warn(`Signing in to Firebase failed, pushes wait: ${reasonOf(failure)}`);
      return false;
    } finally {
      limit.abort();
      await tooSlow.catch(() => undefined);
    }
  }

  /**
   * The SDK's `send` and not its `sendEach`: an answer that breaks off is never settled by the SDK, and with it the
   * results of the whole call would be lost.
   */
  private async pushOne(messaging: Messaging, token: string, command: PushCommand): Promise<AttemptEnd> {
    if (!this.fits(command))
      return {
        result: { outcome: 'refused', code: 'PUSH_TOO_LONG', tokenIsDead: false },
        reason: 'the text is too long',
      };
    const attempt = new PushAttempt();
    const answered = attemptUnderWay.run(attempt, async (): Promise<AttemptEnd> => {
      try {
        await messaging.send(fcmMessage(token, command));
        return { result: { outcome: 'accepted' } };
      } catch (failure) {
        return { result: resultOfError(failure, attempt.mayBeTaken), reason: reasonOf(failure) };
      }
    });
    try {
      return await Promise.race([answered, attempt.failed]);
    } finally {
      attempt.end();
    }
  }
}

/** For the log; FCM's answers can be long. */
const reasonOf = (failure: unknown): string =>
  `${firebaseCode(failure)} ${failureLine(failure)}`.trim().slice(0, 300);
