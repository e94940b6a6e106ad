// SPDX-License-Identifier: MIT
// The picture in a browser: plain HTTP on the loopback, one page, pictures as a multipart stream of PNG, keys and mouse
// back by POST. The address holds a random token, Host is checked (a page elsewhere cannot reach it by a name of its
// own), sizes are limited, no file is served. One thread: a client that is slow misses pictures and does not slow down
// the others.
#include "view_request.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

// IDLE_MOST, LINGER: s; LINGER: how long what a refused client still sends is read, so that it can read why. WAIT_MOST:
// so many may come while a step is computed.
enum { CLIENTS_MOST = 16, TOKEN = 32, IDLE_MOST = 20, LINGER = 1, WAIT_MOST = 128 };

typedef struct client {
    int    socket; // -1: free
    char   in[VIEW_REQUEST_SIZE];
    size_t in_count;
    char*  out; // what is left to be sent
    size_t out_at, out_count;
    bool   is_stream, is_closing;
    bool   is_known;     // it has shown the token
    bool   is_behind;    // a stream that has not got the last picture
    bool   is_lingering; // all was said, and it is still talking
    double since;        // of its last sign of life; of a stream: since it has been sent a picture
    double came;         // when it came
} client;

typedef struct server {
    view*    view;
    int      listener, port, width, height;
    char     host[64], token[TOKEN + 1];
    client   clients[CLIENTS_MOST];
    uint8_t* pixels;
    void*    png; // of the last picture
    size_t   png_size;
} server;

static const char page[] =
    "<!doctype html><meta charset=utf-8><title>shoal</title><link rel=icon href=data:,>\n"
    "<style>body{margin:0;background:#15181d}img{display:block;margin:auto;max-width:100vw;max-height:100vh;"
    "touch-action:none;user-select:none}p{position:fixed;margin:1em;color:#fff;background:#803020}</style>\n"
    "<p id=gone hidden>The viewer does not answer: it has ended, or has too many clients.</p>\n"
    "<img id=i src=stream draggable=false>\n"
    "<script>\n"
    "const i=document.getElementById('i');let line=Promise.resolve(),next=null;\n"
    // one after the other, so that a release does not overtake the last move; of moves that wait only the last is sent
    "function gone(){document.title='no answer';const p=document.getElementById('gone');p.hidden=false}\n"
    "function send(to,body){line=line.then(()=>fetch(to,{method:'POST',body})).catch(gone)}\n"
    "function later(body){const waits=next!==null;next=body;\n"
    "  if(!waits)line=line.then(()=>{const b=next;next=null;return "
    "fetch('mouse',{method:'POST',body:b})}).catch(gone)}\n"
    "function at(e,kind,button){const r=i.getBoundingClientRect();\n"
    "  const x=(e.clientX-r.left)*i.naturalWidth/r.width,y=(e.clientY-r.top)*i.naturalHeight/r.height;\n"
    "  return `${kind} ${button} ${+e.shiftKey} ${+e.ctrlKey} ${+e.altKey} ${x.toFixed(1)} ${y.toFixed(1)}`}\n"
    "i.onpointerdown=e=>{i.setPointerCapture(e.pointerId);send('mouse',at(e,'press',e.button+1));e.preventDefault()};\n"
    "i.onpointerup=i.onpointercancel=e=>send('mouse',at(e,'release',e.button+1));\n"
    "i.onpointermove=e=>{if(e.buttons)later(at(e,'move',0))};\n"
    "i.onwheel=e=>{send('mouse',at(e,'wheel',e.deltaY<0?1:-1));e.preventDefault()};\n"
    "i.oncontextmenu=e=>e.preventDefault();\n"
    "const names={' "
    "':'space',ArrowLeft:'left',ArrowRight:'right',ArrowUp:'up',ArrowDown:'down',Home:'home',End:'end'};\n"
    "onkeydown=e=>{if(e.repeat&&!/^(Arrow|[-+=,.])/.test(e.key))return;const "
    "k=names[e.key]||(e.key.length==1?e.key:'');if(k&&!e.metaKey&&!e.ctrlKey){send('key',k);"
    "e.preventDefault()}};\n"
    "</script>\n";

// --- clients

static void drop(client* c) {
    if (c->socket >= 0) close(c->socket);
    free(c->out);
    *c = (client){.socket = -1};
}

static void queue(client* c, const char* head, const void* body, size_t size, const char* tail) {
    size_t length = strlen(head), rest = strlen(tail);
    char*  out = malloc(length + size + rest + 1);
    if (!out) {
        c->is_closing = true;
        return;
    }
    memcpy(out, head, length);
    if (size > 0) memcpy(out + length, body, size);
    memcpy(out + length + size, tail, rest + 1);
    free(c->out);
    c->out       = out;
    c->out_at    = 0;
    c->out_count = length + size + rest;
    c->since     = cli_seconds();
}

static void answer(client* c, const char* status, const char* type, const void* body, size_t size) {
    char head[512];
    char about[160] = ""; // of the body; where there is none by its status nothing is said of it
    if (strncmp(status, "204", 3) != 0)
        snprintf(about, sizeof about, "Content-Type: %s\r\nContent-Length: %zu\r\n", type, size);
    snprintf(head, sizeof head,
             "HTTP/1.1 %s\r\n%s%sCache-Control: no-store\r\n"
             "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
             status, about, strncmp(status, "405", 3) == 0 ? "Allow: GET, POST\r\n" : "");
    queue(c, head, body, size, "");
    c->is_closing = true;
}

static void refuse(client* c, const char* status) { answer(c, status, "text/plain", status, strlen(status)); }

static void send_more(client* c) {
    while (c->out_at < c->out_count) {
        ssize_t sent = send(c->socket, c->out + c->out_at, c->out_count - c->out_at, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (sent <= 0) {
            drop(c);
            return;
        }
        c->out_at += (size_t)sent;
        if (!c->is_stream) c->since = cli_seconds();
    }
    if (!c->is_closing || c->is_lingering) return;
    shutdown(c->socket, SHUT_WR); // closed with bytes unread it would be reset, and the answer lost
    c->is_lingering = true;
    c->since        = cli_seconds();
}

// The boundary behind a picture ends it: a browser would wait for it, to show the last one before a pause.
static void send_picture(server* s, client* c) {
    char head[160];
    if (c->out_at < c->out_count) return; // it has not got the last one yet
    c->is_behind = false;
    snprintf(head, sizeof head, "Content-Type: image/png\r\nContent-Length: %zu\r\n\r\n", s->png_size);
    queue(c, head, s->png, s->png_size, "\r\n--picture\r\n");
}

// --- requests

// Addresses alone, and localhost: a foreign name that leads here is refused. Any port: a tunnel has its own.
static bool host_is_ours(const server* s, const client* c, const char* host) {
    char               here[INET_ADDRSTRLEN] = "";
    struct sockaddr_in own;
    socklen_t          size = sizeof own;
    if (getsockname(c->socket, (struct sockaddr*)&own, &size) == 0)
        inet_ntop(AF_INET, &own.sin_addr, here, sizeof here);
    const char* const wanted[] = {s->host, "localhost", "127.0.0.1", here};
    for (int k = 0; k < 4; k++)
        if (host[0] && strcasecmp(host, wanted[k]) == 0) return true;
    return false;
}

// Looks at all of it, however early it differs: the time it takes tells nothing.
static bool is_token(const server* s, const char* text) {
    if (strnlen(text, TOKEN) != TOKEN) return false;
    unsigned differs = 0;
    for (int k = 0; k < TOKEN; k++) differs |= (unsigned char)(text[k] ^ s->token[k]);
    return differs == 0;
}

static shoal_status draw(server* s) {
    shoal_status status = view_draw(s->view, s->width, s->height, s->pixels);
    if (status != SHOAL_OK) return status;
    if (s->png) shoal_bytes_free(s->png, s->png_size);
    s->png = NULL;
    for (int k = 0; k < CLIENTS_MOST; k++) s->clients[k].is_behind = s->clients[k].is_stream;
    return shoal_screen_png(s->pixels, s->width, s->height, &s->png, &s->png_size);
}

// The last picture to each stream that has not got it, and has room for it.
static void send_pictures(server* s) {
    for (int k = 0; k < CLIENTS_MOST; k++) {
        client* c = &s->clients[k];
        if (c->socket < 0 || !c->is_behind || !s->png) continue;
        send_picture(s, c);
        send_more(c);
    }
}

static bool take_mouse(server* s, const char* body) {
    view_mouse m = {.width = s->width, .height = s->height};
    if (!view_mouse_read(body, &m)) return false;
    if (!s->png && draw(s) != SHOAL_OK) return false; // what it points at is that of a picture
    view_point(s->view, &m);
    return true;
}

static void get(server* s, client* c, const char* what) {
    if (*what == 0) {
        answer(c, "200 OK", "text/html; charset=utf-8", page, sizeof page - 1);
    } else if (strcmp(what, "stream") == 0) {
        queue(c,
              "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=picture\r\n"
              "Cache-Control: no-store\r\nConnection: close\r\n\r\n--picture\r\n",
              NULL, 0, "");
        c->is_stream = c->is_behind = true;
    } else if (strcmp(what, "picture") == 0) {
        if (draw(s) == SHOAL_OK)
            answer(c, "200 OK", "image/png", s->png, s->png_size);
        else
            refuse(c, "500 Internal Server Error");
    } else {
        refuse(c, "404 Not Found");
    }
}

static void post(server* s, client* c, const char* what, const char* body) {
    bool is_good =
        strcmp(what, "key") == 0 ? view_key(s->view, body) : strcmp(what, "mouse") == 0 && take_mouse(s, body);
    if (is_good)
        answer(c, "204 No Content", "text/plain", "", 0);
    else
        refuse(c, "400 Bad Request");
}

static void take_request(server* s, client* c, const view_request* r) {
    const char* path    = r->path;
    bool        is_ours = host_is_ours(s, c, r->host);
    c->is_known         = path[0] == '/' && is_token(s, path + 1) && path[1 + TOKEN] == '/';
    if (!is_ours || !c->is_known)
        refuse(c, is_ours ? "404 Not Found" : "403 Forbidden");
    else if (strcmp(r->method, "GET") == 0)
        get(s, c, path + TOKEN + 2);
    else if (strcmp(r->method, "POST") == 0)
        post(s, c, path + TOKEN + 2, r->body);
    else
        refuse(c, "405 Method Not Allowed");
}

static void read_more(server* s, client* c) {
    bool    is_heard = !c->is_stream && !c->is_closing; // no client has more to say than one request
    char    rest[4096];
    ssize_t got = is_heard ? recv(c->socket, c->in + c->in_count, sizeof c->in - 1 - c->in_count, MSG_DONTWAIT)
                           : recv(c->socket, rest, sizeof rest, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
        drop(c);
        return;
    }
    if (!is_heard) return;
    c->in_count += (size_t)got;
    c->in[c->in_count] = 0;
    view_request r     = view_request_read(c->in, c->in_count);
    if (r.refusal)
        refuse(c, r.refusal);
    else if (r.is_whole)
        take_request(s, c, &r);
}

static void attend(server* s, client* c) {
    read_more(s, c);
    if (c->socket >= 0 && c->out_at < c->out_count) send_more(c);
}

// --- serving

// Whether a should give its place away rather than b: the token comes first, then the order in which they came.
static bool is_lesser(const client* a, const client* b) {
    if (!b || a->is_known != b->is_known) return !b || b->is_known;
    return a->came < b->came;
}

// A free one, or that of a client which has not shown the token, or has got all it asked for; NULL: all are in use.
static client* find_place(server* s) {
    client* least = NULL;
    for (int k = 0; k < CLIENTS_MOST; k++) {
        client* c = &s->clients[k];
        if (c->socket < 0) return c;
        if ((!c->is_known || c->is_lingering) && is_lesser(c, least)) least = c;
    }
    if (least) drop(least);
    return least;
}

static void accept_client(server* s, int socket) {
    int      one  = 1;
    unsigned gone = 1000 * IDLE_MOST; // ms
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one); // whose peer has vanished gives its place back
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &gone, sizeof gone);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &(int){IDLE_MOST}, sizeof(int));
    client* c = find_place(s);
    if (!c) { // there are enough
        char        rest[4096];
        const char* full = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        (void)!send(socket, full, strlen(full), MSG_DONTWAIT | MSG_NOSIGNAL);
        shutdown(socket, SHUT_WR);
        (void)!recv(socket, rest, sizeof rest, MSG_DONTWAIT); // closed with bytes unread it would be reset
        close(socket);
        return;
    }
    c->socket = socket;
    c->since = c->came = cli_seconds();
    attend(s, c); // most have said it all by now
}

static bool begin(server* s, const view_serve_job* how) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)how->port)};
    socklen_t          size    = sizeof address;
    uint8_t            random[TOKEN / 2];
    int                one = 1;
    snprintf(s->host, sizeof s->host, "%s", how->host ? how->host : "127.0.0.1");
    if (inet_pton(AF_INET, s->host, &address.sin_addr) != 1) {
        fprintf(stderr, "shoal view: --host %.60s: give an address such as 127.0.0.1 or 0.0.0.0\n", s->host);
        return false;
    }
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->listener >= 0) setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr*)&address, sizeof address) != 0 ||
        listen(s->listener, WAIT_MOST) != 0 || getsockname(s->listener, (struct sockaddr*)&address, &size) != 0 ||
        getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        fprintf(stderr, "shoal view: port %d of %s cannot be served: %s\n", how->port, s->host, strerror(errno));
        return false;
    }
    s->port = ntohs(address.sin_port);
    for (int k = 0; k < TOKEN / 2; k++) snprintf(s->token + 2 * k, 3, "%02x", random[k]);
    bool is_any = address.sin_addr.s_addr == htonl(INADDR_ANY);
    printf("http://%s:%d/%s/\n", is_any ? "127.0.0.1" : s->host, s->port, s->token);
    if (is_any)
        fprintf(stderr, "shoal view: from another machine, with an address of this one in place of 127.0.0.1\n");
    fflush(stdout);
    return true;
}

static void serve_clients(server* s, int timeout_ms) {
    struct pollfd polls[CLIENTS_MOST + 1] = {{s->listener, POLLIN, 0}};
    for (int k = 0; k < CLIENTS_MOST; k++) {
        client* c    = &s->clients[k];
        polls[k + 1] = (struct pollfd){c->socket, (short)(POLLIN | (c->out_at < c->out_count ? POLLOUT : 0)), 0};
    }
    if (poll(polls, CLIENTS_MOST + 1, timeout_ms) <= 0) return;
    for (int k = 0; k < CLIENTS_MOST; k++) {
        client* c = &s->clients[k];
        if (c->socket >= 0 && polls[k + 1].revents) attend(s, c);
    }
    for (int k = 0; (polls[0].revents & POLLIN) && k < WAIT_MOST; k++) { // more wait for the next time
        int socket = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (socket < 0) return;
        accept_client(s, socket);
    }
}

static int serve(server* s) {
    double last = cli_seconds();
    while (!view_is_over(s->view) && !cli_should_stop(NULL)) {
        bool is_watched = view_is_recording(s->view); // by its film, at least
        serve_clients(s, view_is_still(s->view) ? 100 : 5);
        for (int k = 0; k < CLIENTS_MOST; k++) is_watched |= s->clients[k].socket >= 0 && s->clients[k].is_stream;
        double       now    = cli_seconds();
        shoal_status status = view_tick(s->view, now - last);
        last                = now;
        if (status != SHOAL_OK) return cli_fail(status);
        for (int k = 0; k < CLIENTS_MOST; k++) { // a silent client leaves its place to others
            client* c     = &s->clients[k];
            bool    waits = !c->is_stream || c->out_at < c->out_count;
            if (c->socket >= 0 && waits && now - c->since > (c->is_lingering ? LINGER : IDLE_MOST)) drop(c);
        }
        bool is_due = (is_watched && (!s->png || view_has_news(s->view))) || view_wants_picture(s->view);
        if (is_due && (status = draw(s)) != SHOAL_OK) return cli_fail(status);
        send_pictures(s);
    }
    return CLI_DONE;
}

int view_serve(view* v, const view_serve_job* how) {
    server* s = calloc(1, sizeof *s);
    if (!s) return CLI_INTERNAL;
    *s = (server){.view = v, .listener = -1, .width = how->width, .height = how->height};
    for (int k = 0; k < CLIENTS_MOST; k++) s->clients[k].socket = -1;
    s->pixels = malloc((size_t)how->width * (size_t)how->height * 3);
    int code  = s->pixels ? (begin(s, how) ? serve(s) : CLI_WRONG) : CLI_INTERNAL;
    for (int k = 0; k < CLIENTS_MOST; k++) drop(&s->clients[k]);
    if (s->listener >= 0) close(s->listener);
    if (s->png) shoal_bytes_free(s->png, s->png_size);
    free(s->pixels);
    free(s);
    return code;
}
