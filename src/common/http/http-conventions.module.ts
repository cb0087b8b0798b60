import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ConnectionDrain } from './connection-drain';
import { EnvelopeInterceptor } from './envelope.interceptor';
import { ErrorFilter } from './error.filter';
import { JsonBodyInterceptor } from './json-body.interceptor';
import { createValidationPipe } from './validation.pipe';

/** How every route of an application reads bodies, answers and fails. */
@Module({
  providers: [
    ConnectionDrain,
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_INTERCEPTOR, useClass: JsonBodyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
    { provide: APP_PIPE, useFactory: createValidationPipe },
  ],
})
export class HttpConventionsModule {}
