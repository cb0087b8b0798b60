import { Module } from '@nestjs/common';
import { FcmTransport } from './fcm/fcm-transport';
import { firebaseAppProvider, firebaseOptionsProvider } from './fcm/firebase-app';
import { PushService } from './push.service';
import { StreamHub } from './stream/stream-hub';
import { StreamTransport } from './stream/stream-transport';

@Module({
  providers: [
    FcmTransport,
    firebaseAppProvider,
    firebaseOptionsProvider,
    PushService,
    StreamHub,
    StreamTransport,
  ],
  exports: [PushService, StreamHub],
})
export class PushModule {}
