import { Module, type NestModule } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, HttpAdapterHost } from '@nestjs/core';
import { AccountTurnsInterceptor } from '../http/account-turns.interceptor';
import { AuthModule } from '../auth.module';
import { ApiKeyStrategy } from './api-key.strategy';
import { AuthGuard } from './auth.guard';
import { BodyGuard } from './body.guard';
import { RouteAccessGuard } from './route-access.guard';

/** Part of a Fastify instance; modules must not import a platform. */
interface FastifyMethods {
  addHttpMethod(method: string, options: { hasBody: boolean; overrideExisting: boolean }): unknown;
}

/** Authenticates the requests of every route, and reads their bodies. */
@Module({
  imports: [AuthModule],
  providers: [
    ApiKeyStrategy,
    // Guards run in this order.
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_GUARD, useClass: RouteAccessGuard },
    { provide: APP_GUARD, useClass: BodyGuard },
    { provide: APP_INTERCEPTOR, useClass: AccountTurnsInterceptor },
  ],
  exports: [AuthModule],
})
export class AuthGuardsModule implements NestModule {
  constructor(private readonly host: HttpAdapterHost) {}

  /**
   * Stops Fastify from parsing bodies: BodyGuard reads them after AuthGuard has authenticated the request. Under Express,
   * `bodyParser: false` does it.
   */
  configure(): void {
    const { httpAdapter } = this.host;
    if (httpAdapter.getType() !== 'fastify') return;
    const instance = httpAdapter.getInstance<FastifyMethods>();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      instance.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
}
