import { randomUUID } from 'node:crypto';
import { FactoryProvider } from '@nestjs/common';
import type { Credential } from 'firebase-admin/app';
import type { Messaging } from 'firebase-admin/messaging';
import { FIREBASE_OPTIONS, type FirebaseOptions } from './firebase-options';

export const FIREBASE_APP = Symbol('FIREBASE_APP');

export interface FirebaseApp {
  readonly messaging: Messaging;
  readonly credential?: Credential;
  close(): Promise<void>;
}

/** Null if Firebase is not configured; then firebase-admin is not loaded. */
export const firebaseAppProvider: FactoryProvider<FirebaseApp | null> = {
  provide: FIREBASE_APP,
  inject: [FIREBASE_OPTIONS],
  useFactory: async (options: FirebaseOptions) => {
    if (!options) return null;
    const [{ deleteApp, initializeApp }, { getMessaging }] = await Promise.all([
      import('firebase-admin/app'),
      import('firebase-admin/messaging'),
    ]);
    // A unique name, because firebase-admin registers apps per process.
    const app = initializeApp(options, randomUUID());
    return { messaging: getMessaging(app), credential: options.credential, close: () => deleteApp(app) };
  },
};
