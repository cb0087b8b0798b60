export default {
  title: 'Send',
};
