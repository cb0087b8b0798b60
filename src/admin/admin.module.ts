import { Module } from '@nestjs/common';
import { AccountCommand } from './commands/account.command';
import { AdminCommand } from './commands/admin.command';
import { DeviceCommand } from './commands/device.command';
import { EventsCommand } from './commands/events.command';
import { KeyCommand } from './commands/key.command';
import { MaintenanceCommand } from './commands/maintenance.command';
import { PlanCommand } from './commands/plan.command';
import { SecretsCommand } from './commands/secrets.command';
import { Installation } from './installation';

@Module({
  providers: [
    Installation,
    AdminCommand,
    AccountCommand,
    KeyCommand,
    DeviceCommand,
    PlanCommand,
    EventsCommand,
    SecretsCommand,
    MaintenanceCommand,
  ],
})
export class AdminModule {}
