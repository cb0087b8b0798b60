import 'reflect-metadata';
import { runAdmin } from './admin/run-admin';

void runAdmin(process.argv.slice(2)).then((exitCode) => process.exit(exitCode));
