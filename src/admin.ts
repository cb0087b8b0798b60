import 'reflect-metadata';
import { runAdmin } from './admin/run-admin';
import { AppModule } from './app.module';

void runAdmin(process.argv.slice(2), AppModule).then((exitCode) => process.exit(exitCode));
