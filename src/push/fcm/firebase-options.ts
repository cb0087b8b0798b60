import { FactoryProvider } from '@nestjs/common';
import type { AppOptions } from 'firebase-admin/app';
import { PushConfig } from '../../config/sections/push.config';
import { FcmAgent } from '../../infrastructure/patches/fcm-agent';

export const FIREBASE_OPTIONS = Symbol('FIREBASE_OPTIONS');

/** Null if Firebase is not configured. Tests provide options for a local FCM. */
export type FirebaseOptions = AppOptions | null;

export const firebaseOptionsProvider: FactoryProvider<FirebaseOptions> = {
  provide: FIREBASE_OPTIONS,
  inject: [PushConfig],
  useFactory: async ({ serviceAccount }: PushConfig) => {
    if (!serviceAccount) return null;
    const { cert } = await import('firebase-admin/app');
    return {
      projectId: serviceAccount.projectId,
      credential: cert({ ...serviceAccount }),
      httpAgent: new FcmAgent(),
    };
  },
};
