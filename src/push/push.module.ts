import { Module } from '@nestjs/common';
import { FcmTransport } from './fcm/fcm-transport';
import { firebaseAppProvider, firebaseOptionsProvider } from './fcm/firebase-app';
import { PushClient } from './push-client.service';
import { StreamHub } from './stream/stream-hub';
import { StreamTransport } from './stream/stream-transport';

@Module({
  providers: [
    FcmTransport,
    firebaseAppProvider,
    firebaseOptionsProvider,
    PushClient,
    StreamHub,
    StreamTransport,
  ],
  exports: [PushClient, StreamHub],
})
export class PushModule {}
