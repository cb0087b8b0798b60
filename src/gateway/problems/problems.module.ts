import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { BillingModule } from '../../billing/billing.module';
import { DevicesModule } from '../../devices/devices.module';
import { WebhooksModule } from '../../webhooks/webhooks.module';
import { GatewayModule } from '../gateway.module';
import { AccountFactsReader } from './account-facts.service';
import { ProblemsController } from './problems.controller';
import { ProblemsService } from './problems.service';

/** What is wrong with an account. A module of its own, because it needs webhooks, which know nothing of the gateway. */
@Module({
  imports: [AuthModule, BillingModule, DevicesModule, GatewayModule, WebhooksModule],
  controllers: [ProblemsController],
  providers: [AccountFactsReader, ProblemsService],
  exports: [ProblemsService],
})
export class ProblemsModule {}
