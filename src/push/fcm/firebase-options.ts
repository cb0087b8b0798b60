import { FactoryProvider } from '@nestjs/common';
import { type AppOptions, cert } from 'firebase-admin/app';
import { PushConfig } from '../../config/push.config';
import { FcmAgent } from './push-attempt';

export const FIREBASE_OPTIONS = Symbol('FIREBASE_OPTIONS');

/** How Firebase is reached; null where it is not configured. Tests put a local FCM in its place. */
export type FirebaseOptions = AppOptions | null;

export const firebaseOptionsProvider: FactoryProvider<FirebaseOptions> = {
  provide: FIREBASE_OPTIONS,
  inject: [PushConfig],
  useFactory: ({ serviceAccount }: PushConfig) =>
    serviceAccount
      ? {
          projectId: serviceAccount.projectId,
          credential: cert({ ...serviceAccount }),
          httpAgent: new FcmAgent(),
        }
      : null,
};
