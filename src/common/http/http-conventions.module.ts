import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { EnvelopeInterceptor } from './responses/envelope.interceptor';
import { ErrorFilter } from './responses/error.filter';
import { RequestFieldsInterceptor } from './requests/request-fields.interceptor';
import { RequestShapeRegistry } from './requests/request-shape-registry';
import { createValidationPipe } from './requests/validation.pipe';

@Module({
  providers: [
    { provide: APP_FILTER, useClass: ErrorFilter },
    RequestShapeRegistry,
    { provide: APP_INTERCEPTOR, useClass: RequestFieldsInterceptor },
    { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
    { provide: APP_PIPE, useFactory: createValidationPipe },
  ],
})
export class HttpConventionsModule {}
