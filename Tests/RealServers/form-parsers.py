"""Reads forms with parsers that nobody here wrote, and answers with what each part is.

The path tells the parser: /multipart, /werkzeug or /django. The answer is the one of the gateway's /multipart.
"""

import hashlib
import io
import json
import sys

import django.conf
import multipart
from django.core.files.uploadhandler import MemoryFileUploadHandler, TemporaryFileUploadHandler
from django.http.multipartparser import MultiPartParser
from werkzeug.serving import run_simple
from werkzeug.wrappers import Request, Response
from werkzeug.wsgi import get_input_stream

MOST_PARTS = 20_000

django.conf.settings.configure(
    DATA_UPLOAD_MAX_NUMBER_FIELDS=MOST_PARTS,
    DATA_UPLOAD_MAX_NUMBER_FILES=MOST_PARTS,
    DATA_UPLOAD_MAX_MEMORY_SIZE=None,
)


def part(name, filename, content_type, content):
    digest = hashlib.sha256(content).hexdigest()
    return {"name": name, "filename": filename, "contentType": content_type, "length": len(content), "sha256": digest}


def by_multipart(request):
    _, options = multipart.parse_options_header(request.headers["Content-Type"])
    stream = get_input_stream(request.environ)
    parser = multipart.MultipartParser(stream, options["boundary"], part_limit=MOST_PARTS, strict=True)
    return [part(item.name, item.filename, item.content_type, item.raw) for item in parser]


def by_werkzeug(request):
    fields = [part(name, None, None, value.encode()) for name, value in request.form.items(multi=True)]
    files = request.files.items(multi=True)
    return fields + [part(name, file.filename, file.content_type, file.read()) for name, file in files]


def by_django(request):
    body = get_input_stream(request.environ)
    if request.content_length is None:
        data = body.read()
        request.environ["CONTENT_LENGTH"] = str(len(data))
        body = io.BytesIO(data)
    handlers = [MemoryFileUploadHandler(), TemporaryFileUploadHandler()]
    fields, files = MultiPartParser(request.environ, body, handlers, "utf-8").parse()
    parts = [part(name, None, None, value.encode()) for name, values in fields.lists() for value in values]
    for name, values in files.lists():
        parts += [part(name, file.name, file.content_type, file.read()) for file in values]
    return parts


PARSERS = {"/multipart": by_multipart, "/werkzeug": by_werkzeug, "/django": by_django}


class FormRequest(Request):
    max_form_parts = MOST_PARTS
    max_form_memory_size = None


def application(environ, start_response):
    request = FormRequest(environ)
    try:
        answer, status = {"parts": PARSERS[request.path](request)}, 200
    except Exception as error:
        answer, status = {"error": repr(error)}, 400
    return Response(json.dumps(answer), status, content_type="application/json")(environ, start_response)


if __name__ == "__main__":
    run_simple("127.0.0.1", int(sys.argv[1]), application, threaded=True)
