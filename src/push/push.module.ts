import { Module } from '@nestjs/common';
import { FcmTransport } from './fcm/fcm-transport';
import { firebaseAppProvider, firebaseOptionsProvider } from './fcm/firebase-app';
import { PushClient } from './push-client.service';
import { StreamHub } from './stream/stream-hub';
import { StreamTransport } from './stream/stream-transport';
import { WakeHub } from './wake/wake-hub';
import { WakeTransport } from './wake/wake-transport';

/** The transports to phones (FCM, streams that carry messages, streams that wake), and the open streams of this process. */
@Module({
  providers: [
    FcmTransport,
    firebaseAppProvider,
    firebaseOptionsProvider,
    PushClient,
    StreamHub,
    StreamTransport,
    WakeHub,
    WakeTransport,
  ],
  exports: [PushClient, StreamHub, WakeHub],
})
export class PushModule {}
