import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../../auth/auth.module';
import { BillingModule } from '../../billing/billing.module';
import { DevicesModule } from '../../devices/devices.module';
import { MigrationsModule } from '../../migrations/migrations.module';
import { OpsModule } from '../ops.module';
import { AccountDirectory } from './account-directory.service';
import { AccountOperations } from './account-operations.service';
import { OperatorAction, OperatorActionSchema } from './operator-action.schema';
import { OperatorActionsRepository } from './operator-actions.repository';
import { OverviewService } from './overview.service';
import { ProcessRegistry } from './process-registry.service';

/** What operators see and do by the API. */
@Module({
  imports: [
    AuthModule,
    BillingModule,
    DevicesModule,
    MigrationsModule,
    OpsModule,
    MongooseModule.forFeature([{ name: OperatorAction.name, schema: OperatorActionSchema }]),
  ],
  providers: [
    AccountDirectory,
    AccountOperations,
    OperatorActionsRepository,
    OverviewService,
    ProcessRegistry,
  ],
  exports: [AccountDirectory, AccountOperations, OverviewService],
})
export class OperationsModule {}
