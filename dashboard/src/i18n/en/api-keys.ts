export default {
  title: 'API keys',
};
