import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { DevicesModule } from '../devices/devices.module';
import { ApiKeysService } from './api-keys.service';

/** Managing the API keys of an account, which needs its devices. `auth/api-keys` stores and reads the keys. */
@Module({
  imports: [AuthModule, DevicesModule],
  providers: [ApiKeysService],
  exports: [ApiKeysService],
})
export class ApiKeysModule {}
