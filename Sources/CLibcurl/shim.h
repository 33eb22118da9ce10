// The HTTP client of the curl project, from the system's libcurl (Debian: libcurl4-openssl-dev).
#include <curl/curl.h>

// Variadic functions can't be called from Swift.

static inline CURLcode osd_curl_set_number(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode osd_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode osd_curl_set_pointer(CURL *easy, CURLoption option, const void *value) {
  return curl_easy_setopt(easy, option, value);
}

typedef size_t (*osd_curl_receive)(char *bytes, size_t size, size_t count, void *transfer);
typedef int (*osd_curl_progress)(
    void *transfer, curl_off_t expected, curl_off_t received, curl_off_t toSend, curl_off_t sent);

/// Sets the functions that receive the lines of the head and the bytes of the body, and hear of progress; and what is
/// passed to them.
static inline void osd_curl_set_receivers(
    CURL *easy, osd_curl_receive line, osd_curl_receive bytes, osd_curl_progress progress, void *transfer) {
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, line);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, bytes);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, progress);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, transfer);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
}

/// Allows no other protocols than HTTP and HTTPS.
static inline CURLcode osd_curl_set_protocols(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/// A search for an address that isn't wanted any more isn't waited for.
static inline void osd_curl_set_quick_end(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)easy;
#endif
}

/// Returns the number of bytes of requests that were sent, those of a repeated attempt included.
static inline long osd_curl_sent(CURL *easy) {
  long sent = 0;
  curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &sent);
  return sent;
}

/// Whether the connection is made, its TLS included.
static inline int osd_curl_is_connected(CURL *easy) {
  curl_off_t time = 0;
  curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &time);
  return time > 0;
}

static inline CURLMcode osd_curl_set_limit(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

/// Returns the next transfer that ended, with its result; NULL when there is none.
static inline CURL *osd_curl_next_ended(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg == CURLMSG_DONE) {
      *result = message->data.result;
      return message->easy_handle;
    }
  }
  return NULL;
}
