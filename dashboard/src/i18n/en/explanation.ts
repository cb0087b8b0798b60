export { default } from '../../../../src/gateway/insight/explanation/english';
