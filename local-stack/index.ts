export { getOrCreateSecret, requiredSecrets } from './secrets';
export { startLocalStack, stopLocalStack } from './local-stack';
export { StackUnavailable } from './stack-unavailable';
