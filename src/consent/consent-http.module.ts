import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { ConsentModule } from './consent.module';
import { ConsentRecordsController } from './records/http/consent-records.controller';
import { ConsentSettingsController } from './settings/http/consent-settings.controller';

/** Routes of the settings of consent and of its records; those of blocks are in `src/gateway/suppressions`. */
@Module({
  imports: [AuthModule, ConsentModule],
  controllers: [ConsentRecordsController, ConsentSettingsController],
})
export class ConsentHttpModule {}
