import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { AccountExportModule } from './account-export.module';
import { AccountExportController } from './http/account-export.controller';

/** The route that exports an account. */
@Module({
  imports: [AuthModule, AccountExportModule],
  controllers: [AccountExportController],
})
export class AccountExportHttpModule {}
