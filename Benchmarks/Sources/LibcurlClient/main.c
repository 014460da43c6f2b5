// The peer that all others are compared with: libcurl, used as its documentation advises.
// Usage: CASE URL CALLS [HANDLES] [OPTION=VALUE ...], as the other clients.

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char *kind, *url, *authority, *file, *saved;
static long calls, handles = 1, hosts = 1, http2, buffer;
static long long left_to_send;
static char chunk[64 << 10];

static void fail(const char *what) {
    fprintf(stderr, "libcurl: %s\n", what);
    exit(1);
}

static double cpu_microseconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

static double wall_microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

// VmRSS is what is resident, and VmHWM the most that ever was (getrusage's ru_maxrss begins with the parent's).
static long memory_kib(const char *name) {
    char line[256];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");
    if (!status) fail("no /proc/self/status");
    while (kib < 0 && fgets(line, sizeof line, status)) {
        if (!strncmp(line, name, strlen(name))) kib = atol(line + strlen(name) + 1);
    }
    fclose(status);
    return kib;
}

// A caller of an API wants the body as one piece of memory.
struct body {
    char *bytes;
    size_t count;
};

static size_t collect(char *bytes, size_t size, size_t count, void *into) {
    struct body *body = into;
    char *grown = realloc(body->bytes, body->count + size * count);
    if (!grown) return 0;
    memcpy(grown + body->count, bytes, size * count);
    body->bytes = grown;
    body->count += size * count;
    return size * count;
}

static size_t drop(char *bytes, size_t size, size_t count, void *into) {
    (void)bytes, (void)into;
    return size * count;
}

static size_t produce(char *buffer, size_t size, size_t count, void *from) {
    (void)from;
    size_t space = size * count < sizeof chunk ? size * count : sizeof chunk;
    if ((long long)space > left_to_send) space = (size_t)left_to_send;
    memcpy(buffer, chunk, space);
    left_to_send -= (long long)space;
    return space;
}

static CURL *make_handle(struct body *body) {
    CURL *handle = curl_easy_init();
    if (!handle) fail("no handle");
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body ? collect : drop);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, body);
    curl_easy_setopt(handle, CURLOPT_TIMEOUT, 120L);
    curl_easy_setopt(handle, CURLOPT_MAXCONNECTS, hosts > 5 ? hosts : 5);
    curl_easy_setopt(handle, CURLOPT_PROXY, "");
    curl_easy_setopt(handle, CURLOPT_COOKIEFILE, "");
    curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, http2 ? CURL_HTTP_VERSION_2_0 : CURL_HTTP_VERSION_1_1);
    if (http2) curl_easy_setopt(handle, CURLOPT_PIPEWAIT, 1L);
    if (buffer) curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, buffer);
    if (authority) curl_easy_setopt(handle, CURLOPT_CAINFO, authority);
    if (!strcmp(kind, "connect")) {
        curl_easy_setopt(handle, CURLOPT_FORBID_REUSE, 1L);
        curl_easy_setopt(handle, CURLOPT_SSL_SESSIONID_CACHE, 0L);
    }
    return handle;
}

static void set_url(CURL *handle, long number) {
    if (hosts == 1) {
        curl_easy_setopt(handle, CURLOPT_URL, url);
        return;
    }
    char text[512];
    long host = number % hosts + 1;
    const char *place = strstr(url, "127.0.0.1");
    if (!place) fail("many hosts need a URL of 127.0.0.1");
    snprintf(text, sizeof text, "%.*s127.0.%ld.%ld%s", (int)(place - url), url, host / 250, host % 250 + 1, place + 9);
    curl_easy_setopt(handle, CURLOPT_URL, text);
}

static void check(CURL *handle, CURLcode code) {
    long status = 0;
    if (code != CURLE_OK) fail(curl_easy_strerror(code));
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    if (status / 100 != 2) fail("not a success");
}

static void run_one_by_one(long count) {
    static CURL *handle;
    static struct body body;
    if (!handle) handle = make_handle(&body);
    for (long number = 0; number < count; number++) {
        body.count = 0;
        set_url(handle, number);
        check(handle, curl_easy_perform(handle));
        free(body.bytes);
        body.bytes = NULL;
    }
}

static CURLM *multi;

static void make_multi(void) {
    multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, handles > hosts ? handles : hosts);
    if (http2) curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
}

// curl_multi_socket_action on epoll was tried as well: it cost no less, at 64 handles or at 10,000.
static void run_at_a_time(long count) {
    static CURL **all;
    static struct body *bodies;
    if (!multi) {
        make_multi();
        all = calloc((size_t)handles, sizeof *all);
        bodies = calloc((size_t)handles, sizeof *bodies);
        for (long i = 0; i < handles; i++) {
            all[i] = make_handle(&bodies[i]);
            curl_easy_setopt(all[i], CURLOPT_PRIVATE, &bodies[i]);
        }
    }
    long begun = 0, done = 0;
    for (; begun < handles && begun < count; begun++) {
        set_url(all[begun], begun);
        curl_multi_add_handle(multi, all[begun]);
    }
    while (done < count) {
        int running, queued;
        CURLMsg *message;
        if (curl_multi_perform(multi, &running) != CURLM_OK) fail("multi");
        while ((message = curl_multi_info_read(multi, &queued))) {
            CURL *handle = message->easy_handle;
            struct body *body;
            check(handle, message->data.result);
            curl_easy_getinfo(handle, CURLINFO_PRIVATE, &body);
            free(body->bytes);
            *body = (struct body){0};
            done++;
            curl_multi_remove_handle(multi, handle);
            if (begun < count) {
                set_url(handle, begun++);
                curl_multi_add_handle(multi, handle);
            }
        }
        if (done < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
}

static void run(long count) {
    if (handles > 1) run_at_a_time(count); else run_one_by_one(count);
}

static void transfer(void) {
    CURL *handle = make_handle(NULL);
    FILE *into = NULL;
    if (saved) {
        into = fopen(saved, "wb");
        if (!into) fail("no file to write");
        curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, NULL);
        curl_easy_setopt(handle, CURLOPT_WRITEDATA, into);
    }
    curl_easy_setopt(handle, CURLOPT_URL, url);
    if (!strcmp(kind, "upload")) {
        struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
        left_to_send = calls;
        curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(handle, CURLOPT_UPLOAD_BUFFERSIZE, 64L << 10);
        curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)calls);
        if (file) {
            FILE *body = fopen(file, "rb");
            if (!body) fail("no file to upload");
            curl_easy_setopt(handle, CURLOPT_READFUNCTION, NULL);
            curl_easy_setopt(handle, CURLOPT_READDATA, body);
        } else {
            curl_easy_setopt(handle, CURLOPT_READFUNCTION, produce);
        }
    }
    check(handle, curl_easy_perform(handle));
    // As safe on the disk as Sallyport's.
    if (into && (fflush(into) || fsync(fileno(into)) || fclose(into))) fail("the file cannot be written");
}

static const char *value_of(const char *argument, const char *name) {
    size_t length = strlen(name);
    return strncmp(argument, name, length) || argument[length] != '=' ? NULL : argument + length + 1;
}

int main(int count, char **arguments) {
    if (count < 4) fail("CASE URL CALLS [HANDLES] [OPTION=VALUE ...]");
    kind = arguments[1], url = arguments[2], calls = atol(arguments[3]);
    if (count > 4) handles = atol(arguments[4]);
    for (int i = 5; i < count; i++) {
        const char *value;
        if (!strchr(arguments[i], '=')) fail("an option is OPTION=VALUE");
        if ((value = value_of(arguments[i], "ca"))) authority = value;
        if ((value = value_of(arguments[i], "hosts"))) hosts = atol(value);
        if ((value = value_of(arguments[i], "http2"))) http2 = 1;
        if ((value = value_of(arguments[i], "file"))) file = value;
        if ((value = value_of(arguments[i], "save"))) saved = value;
        if ((value = value_of(arguments[i], "buffer"))) buffer = atol(value);
    }
    curl_global_init(CURL_GLOBAL_ALL);

    if (saved) remove(saved);
    int is_transfer = !strcmp(kind, "download") || !strcmp(kind, "upload");
    if (!strcmp(kind, "get") || !strcmp(kind, "connect")) run(calls / 10 > handles ? calls / 10 : handles);
    long resting = memory_kib("VmRSS");
    double cpu = cpu_microseconds(), wall = wall_microseconds();
    if (is_transfer) transfer(); else run(calls);
    wall = wall_microseconds() - wall;
    cpu = cpu_microseconds() - cpu;
    long peak = memory_kib("VmHWM");
    double units = is_transfer ? 1 : (double)calls;
    printf("{\"cpu_us_per_call\":%f,\"wall_us_per_call\":%f,\"rss_mb\":%f,\"kib_per_call\":%f}\n", cpu / units,
           wall / units, peak / 1024.0, (peak - resting) / units);
    return 0;
}
