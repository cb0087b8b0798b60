import { randomUUID } from 'node:crypto';
import { FactoryProvider } from '@nestjs/common';
import type { AppOptions, Credential } from 'firebase-admin/app';
import type { Messaging } from 'firebase-admin/messaging';
import { OutboundConfig } from '../../config/sections/outbound.config';
import { PushConfig } from '../../config/sections/push.config';
import { TunnelAgent } from '../../infrastructure/proxy/tunnel-agent';
import { FcmAgent } from '../../infrastructure/patches/fcm-agent';

export const FIREBASE_OPTIONS = Symbol('FIREBASE_OPTIONS');

/** Null if Firebase is not configured. Tests provide options for a local FCM. */
export type FirebaseOptions = AppOptions | null;

export const firebaseOptionsProvider: FactoryProvider<FirebaseOptions> = {
  provide: FIREBASE_OPTIONS,
  inject: [PushConfig, OutboundConfig],
  useFactory: async ({ serviceAccount }: PushConfig, outbound: OutboundConfig) => {
    if (!serviceAccount) return null;
    const { cert } = await import('firebase-admin/app');
    return {
      projectId: serviceAccount.projectId,
      credential: cert({ ...serviceAccount }, new TunnelAgent({}, outbound)),
      httpAgent: new FcmAgent(outbound),
    };
  },
};

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
