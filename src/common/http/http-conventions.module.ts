import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { EnvelopeInterceptor } from './envelope.interceptor';
import { ErrorFilter } from './error.filter';
import { RequestFieldsInterceptor } from './request-fields.interceptor';
import { RequestRoutes } from './request-routes';
import { createValidationPipe } from './validation.pipe';

/** How every route of an application checks what it is asked, answers and fails. */
@Module({
  providers: [
    { provide: APP_FILTER, useClass: ErrorFilter },
    RequestRoutes,
    { provide: APP_INTERCEPTOR, useClass: RequestFieldsInterceptor },
    { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
    { provide: APP_PIPE, useFactory: createValidationPipe },
  ],
})
export class HttpConventionsModule {}
