import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { BillingModule } from '../billing.module';
import { BillingController } from './billing.controller';

/** The route of the plan and its usage. */
@Module({
  imports: [AuthModule, BillingModule],
  controllers: [BillingController],
})
export class BillingHttpModule {}
